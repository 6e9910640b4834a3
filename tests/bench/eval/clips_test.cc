// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/clips.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "glint/error.h"
#include "image/png.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::HasSubstr;

TEST(ReadExpectations, ReadsClipsBesideItselfAndWhatIsUsual) {
  const TempFolder folder;
  const auto clips = ReadExpectations(folder.Write("clips.json", R"({"clips": [
      {"clip": "book.mp4", "item_type": "comic", "max_marked_percent": 0.05,
       "outlines": [{"frame": 7, "corners": [[1, 2], [11, 2], [11, 22], [1, 22]]}]},
      {"clip": "wall.mp4", "object": false},
      {"clip": "frozen.mp4", "not_judged": "still_light"}]})"));
  ASSERT_THAT(clips, IsOk());
  ASSERT_EQ(clips->size(), 3U);
  const ClipExpectation& book = (*clips)[0];
  EXPECT_EQ(book.name, "book");
  EXPECT_EQ(book.clip, folder.path() / "book.mp4");
  EXPECT_EQ(book.item_type, "comic");
  EXPECT_TRUE(book.has_object);
  EXPECT_EQ(book.max_marked_percent, 0.05);
  ASSERT_EQ(book.corners.count(7), 1U);
  EXPECT_EQ(book.corners.at(7)[2].y, 22);
  EXPECT_FALSE((*clips)[1].has_object);
  EXPECT_EQ((*clips)[1].item_type, "page");
  EXPECT_EQ((*clips)[1].not_judged, "");
  EXPECT_EQ((*clips)[2].not_judged, "still_light");
}

TEST(ReadExpectations, SaysWhatIsWrongWithTheFile) {
  const TempFolder folder;
  EXPECT_THAT(ReadExpectations(folder.path() / "clips.json"),
              FailsWith(Reason::kInputNotFound, HasSubstr("clips.json")));
  EXPECT_THAT(ReadExpectations(folder.Write("a.json", R"({"clips": [{"object": true}]})")),
              FailsWith(Reason::kInputUnreadable, HasSubstr("clip")));
  EXPECT_THAT(ReadExpectations(folder.Write("b.json", R"({"clips": [{"clip": 5}]})")),
              FailsWith(Reason::kInputUnreadable, HasSubstr("must be string")));
}

/// A result of a scan that found an object of 100 x 80 pixels, `shift` px right of (20, 10).
class ClipResult {
 public:
  void Scanned(double shift, int marked_rows) {
    const Plane mask = Plane::Host({100, 80}, PixelType::kU8);
    for (int y = 0; y < 80; ++y) {
      std::fill_n(mask.Row<std::uint8_t>(y), 100,
                  static_cast<std::uint8_t>(y < marked_rows ? 255 : 0));
    }
    const auto png = EncodePng(mask);
    ASSERT_THAT(png, IsOk());
    folder_.Write("mask.png", {reinterpret_cast<const char*>(png->data()), png->size()});
    folder_.Write("report.json", fmt::format(R"({{"outcome": "scanned",
      "object": {{"reference_frame": 3, "size": [100, 80],
                  "corners": [[{0}, 10], [{1}, 10], [{1}, 90], [{0}, 90]]}},
      "golden_frames": [{{"frame": 3, "registered": true,
                          "frame_from_object": [1, 0, {0}, 0, 1, 10, 0, 0, 1]}}]}})",
                                             20 + shift, 120 + shift));
  }
  void NotJudged() {
    folder_.Write("report.json", R"({"outcome": "not_judged", "object": null,
                                     "not_judged": {"cause": "no_object", "timestamp_us": 0}})");
  }
  ScanEvaluation Judge(const ClipExpectation& expected) const {
    const auto judged = EvaluateClip(expected, folder_.path());
    EXPECT_THAT(judged, IsOk());
    return judged.ok() ? *judged : ScanEvaluation();
  }

 private:
  TempFolder folder_;
};

TEST(EvaluateClip, IsContentWithTheRightOutlineAndLittleMarked) {
  ClipResult result;
  result.Scanned(0, 1);
  ClipExpectation book{.name = "book", .max_marked_percent = 2};
  book.corners[3] = {{{120, 10}, {120, 90}, {20, 90}, {20, 10}}};
  const ScanEvaluation judged = result.Judge(book);
  EXPECT_EQ(judged.as_expected, true);
  EXPECT_NEAR(judged.marked, 1 / 80.0, 1e-9);
  ASSERT_TRUE(judged.corner_error_percent) << "whichever corner comes first";
  EXPECT_NEAR(*judged.corner_error_percent, 0, 1e-6);
  book.max_marked_percent = 1;
  EXPECT_EQ(result.Judge(book).as_expected, false) << "1.25 % are marked";
}

TEST(EvaluateClip, FindsAWrongOutlineInAFrameThatIsKnown) {
  ClipResult result;
  result.Scanned(5, 0);  // of a diagonal of 128
  ClipExpectation book{.name = "book"};
  book.corners[3] = {{{20, 10}, {120, 10}, {120, 90}, {20, 90}}};
  EXPECT_EQ(result.Judge(book).as_expected, false);
  book.corners = {{4, book.corners[3]}};
  EXPECT_EQ(result.Judge(book).as_expected, true) << "nothing is known of frame 3";
}

TEST(EvaluateClip, LetsNoPercentagePassWithoutAnObject) {
  ClipResult result;
  const ClipExpectation wall{.name = "wall", .has_object = false};
  result.Scanned(0, 0);
  EXPECT_EQ(result.Judge(wall).as_expected, false);
  result.NotJudged();
  EXPECT_EQ(result.Judge(wall).as_expected, true);
  EXPECT_EQ(result.Judge({.name = "book"}).as_expected, true) << "to say so is honest";
}

TEST(EvaluateClip, AsksForTheCauseThatIsExpected) {
  ClipResult result;
  const ClipExpectation frozen{.name = "frozen", .not_judged = "still_light"};
  result.Scanned(0, 0);
  EXPECT_EQ(result.Judge(frozen).as_expected, false) << "no damage is no verdict there";
  result.NotJudged();
  EXPECT_EQ(result.Judge(frozen).as_expected, false);
  EXPECT_EQ(result.Judge({.name = "wall", .not_judged = "no_object"}).as_expected, true);
}

}  // namespace
}  // namespace glint
