// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/labels.h"

#include <gtest/gtest.h>

#include <string>

#include "image/png.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::HasSubstr;

constexpr std::string_view kLabels = R"({
  "clip": "a.mp4", "flat_size": [40, 30], "mask_flat": "a.mask_flat.png",
  "corners": [[[0, 0], [40.5, 0], [40, 30], [0, 30]], [[1, 1], [41, 1], [41, 31], [1, 31]]],
  "defects": [{"id": 3, "type": "crease", "severity": "light"}, {"id": 4, "type": "crack"}]})";

void WritePng(const TempFolder& folder, std::string_view name, const Plane& plane) {
  const auto png = EncodePng(plane);
  ASSERT_THAT(png, IsOk());
  folder.Write(name, {reinterpret_cast<const char*>(png->data()), png->size()});
}

TEST(ReadLabels, ReadsEverythingThatScoringNeeds) {
  const TempFolder folder;
  const Plane ids = NoisePlane({40, 30}, 1);
  WritePng(folder, "a.mask_flat.png", ids);
  const auto labels = ReadLabels(folder.Write("a.labels.json", kLabels));
  ASSERT_THAT(labels, IsOk());
  EXPECT_EQ(labels->name, "a");
  EXPECT_EQ(labels->clip, folder.path() / "a.mp4");
  EXPECT_EQ(labels->flat_size, (Size{40, 30}));
  ASSERT_EQ(labels->corners.size(), 2U);
  EXPECT_EQ(labels->corners[0][1].x, 40.5);
  EXPECT_EQ(labels->corners[1][3].y, 31);
  ASSERT_EQ(labels->defects.size(), 2U);
  EXPECT_EQ(labels->defects[0].id, 3);
  EXPECT_EQ(labels->defects[1].type, "crack");
  EXPECT_TRUE(SameBytes(labels->ids, ids));
}

TEST(ReadLabels, SaysWhatIsWrongWithTheFile) {
  const TempFolder folder;
  EXPECT_THAT(ReadLabels(folder.path() / "none.labels.json"),
              FailsWith(Reason::kInputNotFound, HasSubstr("none.labels.json")));
  EXPECT_THAT(ReadLabels(folder.path()), FailsWith(Reason::kInputUnreadable, HasSubstr("folder")));
  EXPECT_THAT(ReadLabels(folder.Write("text", "not json")),
              FailsWith(Reason::kInputUnreadable, HasSubstr("no JSON (byte")));
  EXPECT_THAT(ReadLabels(folder.Write("keys", R"({"clip": "a.mp4"})")),
              FailsWith(Reason::kInputUnreadable, HasSubstr("flat_size")));
  EXPECT_THAT(ReadLabels(folder.Write("a.labels.json", kLabels)),
              FailsWith(Reason::kInputNotFound, HasSubstr("a.mask_flat.png")));
  WritePng(folder, "a.mask_flat.png", NoisePlane({41, 30}, 1));
  EXPECT_THAT(ReadLabels(folder.path() / "a.labels.json"),
              FailsWith(Reason::kInputUnreadable, HasSubstr("41x30")));
}

TEST(ReadFindings, ReadsTheMaskAndTheObjectOrThatThereIsNone) {
  const TempFolder folder;
  const Plane mask = NoisePlane({9, 5}, 3);
  WritePng(folder, "mask.png", mask);
  folder.Write("report.json",
               R"({"outcome": "scanned", "object": {"reference_frame": 7, "size": [20, 10],
                   "corners": [[1, 2], [3, 4], [5, 6], [7.5, 8]], "method": "outline"}})");
  const auto found = ReadFindings(folder.path(), {});
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->outcome, ScanOutcome::kScanned);
  EXPECT_TRUE(SameBytes(found->mask, mask));
  ASSERT_TRUE(found->object);
  EXPECT_EQ(found->object->reference_frame, 7);
  EXPECT_EQ(found->object->size, (Size{20, 10}));
  EXPECT_EQ(found->object->corners[3].x, 7.5);

  folder.Write("report.json", R"({"outcome": "scanned", "object": null})");
  const auto none = ReadFindings(folder.path(), {});
  ASSERT_THAT(none, IsOk());
  EXPECT_FALSE(none->object);
}

TEST(ReadFindings, TakesAMissingMaskOnlyFromAScanWithoutUsableFrames) {
  const TempFolder folder;
  const ScanLabels labels{.flat_size = {4, 3}};
  folder.Write("report.json", R"({"outcome": "no_usable_frames", "object": null})");
  const auto found = ReadFindings(folder.path(), labels);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->outcome, ScanOutcome::kNoUsableFrames);
  EXPECT_EQ(found->mask.size(), labels.flat_size);
  EXPECT_EQ(*found->mask.Row<std::uint8_t>(2), 0);

  folder.Write("report.json", R"({"outcome": "scanned", "object": null})");
  EXPECT_THAT(ReadFindings(folder.path(), labels),
              FailsWith(Reason::kInputNotFound, HasSubstr("mask.png")));
}

TEST(ReadFindings, RefusesWhatIsNoReport) {
  const TempFolder folder;
  EXPECT_THAT(ReadFindings(folder.path(), {}),
              FailsWith(Reason::kInputNotFound, HasSubstr("report.json")));
  folder.Write("report.json", R"({"outcome": "scanned", "object": {"size": 3}})");
  EXPECT_THAT(ReadFindings(folder.path(), {}),
              FailsWith(Reason::kInputUnreadable, HasSubstr("reference_frame")));
  folder.Write("report.json", "[]");
  EXPECT_THAT(ReadFindings(folder.path(), {}),
              FailsWith(Reason::kInputUnreadable, HasSubstr("report.json")));
}

TEST(ReadMask, WantsAGreyPicture) {
  const TempFolder folder;
  const Plane mask = NoisePlane({9, 5}, 3);
  WritePng(folder, "grey.png", mask);
  const auto read = ReadMask(folder.path() / "grey.png");
  ASSERT_THAT(read, IsOk());
  EXPECT_TRUE(SameBytes(*read, mask));
  WritePng(folder, "colour.png", Plane::Host({3, 3}, PixelType::kU8x3));
  EXPECT_THAT(ReadMask(folder.path() / "colour.png"),
              FailsWith(Reason::kInputUnreadable, HasSubstr("grey")));
  EXPECT_THAT(ReadMask(folder.Write("text.png", "text")),
              FailsWith(Reason::kInputUnreadable, HasSubstr("text.png")));
}

}  // namespace
}  // namespace glint
