// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::_;
using testing::HasSubstr;

/// A picture of one value.
Plane Grey(Size size, std::uint8_t value) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) std::fill_n(plane.Row<std::uint8_t>(y), size.width, value);
  return plane;
}

void Draw(const Plane& plane, const Rectangle& box, std::uint8_t value) {
  for (int y = box.y; y < box.y + box.height; ++y)
    std::fill_n(plane.Row<std::uint8_t>(y) + box.x, box.width, value);
}

/// A scan of 100 x 80 object pixels that lie one to one in its only frame, with a crease of
/// 20 x 2 pixels and a stain of 10 x 10.
ScanLabels TwoDefects() {
  ScanLabels labels;
  labels.name = "two";
  labels.flat_size = {100, 80};
  labels.corners = {{Point{0, 0}, {100, 0}, {100, 80}, {0, 80}}};
  labels.defects = {{1, "crease", "light"}, {2, "stain", "heavy"}};
  labels.ids = Grey(labels.flat_size, 0);
  Draw(labels.ids, {30, 20, 20, 2}, 1);
  Draw(labels.ids, {60, 50, 10, 10}, 2);
  return labels;
}

TEST(ScoreMask, TheTruthScoresFullMarks) {
  const ScanLabels labels = TwoDefects();
  const auto score = ScoreMask(labels, labels.ids, std::nullopt);
  ASSERT_THAT(score, IsOk());
  ASSERT_TRUE(score->agreement);
  EXPECT_EQ(score->agreement->precision, 1);
  EXPECT_EQ(score->agreement->recall, 1);
  EXPECT_EQ(score->agreement->f, 1);
  EXPECT_DOUBLE_EQ(score->marked, 140.0 / 8000);
  EXPECT_FALSE(score->corner_error_percent);
  ASSERT_EQ(score->defects.size(), 2U);
  EXPECT_EQ(score->defects[1].type, "stain");
  EXPECT_EQ(score->defects[1].covered, 1);
  EXPECT_TRUE(score->defects[1].found);
}

TEST(ScoreMask, AnUnaskedDefectIsNeitherMissedNorAMistake) {
  const ScanLabels labels = TwoDefects();
  const std::vector<int> unasked = {2};
  const Plane mask = Grey(labels.flat_size, 0);
  Draw(mask, {30, 20, 20, 2}, 255);  // the crease
  const auto missed = ScoreMask(labels, mask, std::nullopt, {}, unasked);
  ASSERT_THAT(missed, IsOk());
  EXPECT_EQ(missed->agreement->recall, 1);
  Draw(mask, {57, 50, 3, 10}, 255);  // within 3 px of the stain
  const auto found = ScoreMask(labels, mask, std::nullopt, {}, unasked);
  EXPECT_EQ(found->agreement->precision, 1);
  Draw(mask, {5, 70, 40, 1}, 255);  // 40 px of nothing
  EXPECT_DOUBLE_EQ(ScoreMask(labels, mask, std::nullopt, {}, unasked)->agreement->precision, 0.5);
}

TEST(ScoreMask, AMarkBetweenAnAskedAndAnUnaskedDefectIsRight) {
  ScanLabels labels = TwoDefects();
  Draw(labels.ids, {30, 24, 20, 2}, 2);  // two rows below the crease
  const Plane mask = Grey(labels.flat_size, 0);
  Draw(mask, {30, 22, 20, 2}, 255);
  Draw(mask, {5, 70, 40, 1}, 255);  // as much of nothing
  const std::vector<int> unasked = {2};
  EXPECT_DOUBLE_EQ(ScoreMask(labels, mask, std::nullopt, {}, unasked)->agreement->precision, 0.5);
}

TEST(ScoreMask, ThreePixelsOffIsRightAndFourIsWrong) {
  const ScanLabels labels = TwoDefects();
  for (const auto& [shift, expected] : {std::pair{3, 1.0}, {4, 0.0}}) {
    const Plane mask = Grey(labels.flat_size, 0);
    Draw(mask, {30, 20 - shift, 20, 1}, 255);  // `shift` rows above the crease
    const auto score = ScoreMask(labels, mask, std::nullopt);
    ASSERT_THAT(score, IsOk());
    EXPECT_EQ(score->agreement->precision, expected) << shift;
  }
}

TEST(ScoreMask, CountsWhatIsMissedAndWhatIsTooMuch) {
  const ScanLabels labels = TwoDefects();
  const Plane mask = Grey(labels.flat_size, 0);
  Draw(mask, {30, 20, 20, 2}, 255);  // the crease, 40 px
  Draw(mask, {5, 70, 40, 1}, 255);   // nothing, 40 px
  const auto score = ScoreMask(labels, mask, std::nullopt);
  ASSERT_THAT(score, IsOk());
  EXPECT_DOUBLE_EQ(score->agreement->precision, 0.5);
  EXPECT_DOUBLE_EQ(score->agreement->recall, 40.0 / 140);
  EXPECT_DOUBLE_EQ(score->agreement->f, 2 * 0.5 * (40.0 / 140) / (0.5 + 40.0 / 140));
  EXPECT_TRUE(score->defects[0].found);
  EXPECT_FALSE(score->defects[1].found);
  EXPECT_EQ(score->defects[1].covered, 0);
}

TEST(ScoreMask, TypesLeftOutAreNeitherTruthNorMistakes) {
  const ScanLabels labels = TwoDefects();
  const Plane mask = Grey(labels.flat_size, 0);
  Draw(mask, {60, 50, 10, 10}, 255);  // the stain only
  const std::vector<std::string> stain = {"stain"};
  const auto score = ScoreMask(labels, mask, std::nullopt, stain);
  ASSERT_THAT(score, IsOk());
  EXPECT_EQ(score->agreement->precision, 0);  // nothing else is marked
  EXPECT_EQ(score->agreement->recall, 0);
  EXPECT_EQ(score->defects[1].covered, 1);  // still said
  const auto all = ScoreMask(labels, labels.ids, std::nullopt, stain);
  EXPECT_EQ(all->agreement->f, 1);
}

TEST(ScoreMask, ACleanScanHasOnlyAShareMarked) {
  ScanLabels labels = TwoDefects();
  labels.defects.clear();
  labels.ids = Grey(labels.flat_size, 0);
  const Plane mask = Grey({50, 40}, 0);
  Draw(mask, {0, 0, 50, 10}, 1);  // a quarter, at half the size
  const auto score = ScoreMask(labels, mask, std::nullopt);
  ASSERT_THAT(score, IsOk());
  EXPECT_DOUBLE_EQ(score->marked, 0.25);
  EXPECT_FALSE(score->agreement);
  EXPECT_TRUE(score->defects.empty());
}

TEST(ScoreMask, AnObjectFoundLyingOnItsSideIsJudgedFairly) {
  const ScanLabels labels = TwoDefects();
  LocatedObject turned;  // its top left corner is the true bottom left one
  turned.corners = {Point{0, 80}, {0, 0}, {100, 0}, {100, 80}};
  turned.size = {80, 100};
  const Plane mask = Grey(turned.size, 0);
  Draw(mask, {80 - 22, 30, 2, 20}, 255);  // (x, y) of the labels is (80 - y, x) here
  Draw(mask, {80 - 60, 60, 10, 10}, 255);
  const auto score = ScoreMask(labels, mask, turned);
  ASSERT_THAT(score, IsOk());
  EXPECT_EQ(score->agreement->f, 1);
  EXPECT_NEAR(*score->corner_error_percent, 0, 1e-6);
}

TEST(ScoreMask, CornersOffByTwoPixelsAreThatManyPercentOfTheDiagonal) {
  const ScanLabels labels = TwoDefects();
  LocatedObject shifted;
  shifted.corners = {Point{2, 0}, {102, 0}, {102, 80}, {2, 80}};
  shifted.size = {100, 80};
  const auto score = ScoreMask(labels, labels.ids, shifted);
  ASSERT_THAT(score, IsOk());
  EXPECT_NEAR(*score->corner_error_percent, 100 * 2 / std::hypot(100, 80), 1e-5);
  EXPECT_EQ(score->agreement->f, 1);  // two pixels are within the tolerance
}

TEST(ScoreMask, AReportOfAnotherScanIsRefused) {
  const ScanLabels labels = TwoDefects();
  const LocatedObject good{.reference_frame = 0,
                           .corners = labels.corners[0],
                           .size = labels.flat_size,
                           .method = "",
                           .confidence = 1};
  LocatedObject late = good;
  late.reference_frame = 1;
  EXPECT_THAT(ScoreMask(labels, labels.ids, late),
              FailsWith(Reason::kInputUnreadable, HasSubstr("reference frame is 1")));
  LocatedObject flat = good;
  flat.corners[2] = flat.corners[1];
  EXPECT_THAT(ScoreMask(labels, labels.ids, flat),
              FailsWith(Reason::kInputUnreadable, HasSubstr("no quadrilateral")));
  LocatedObject unknown = good;
  unknown.corners[0].x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(ScoreMask(labels, labels.ids, unknown), FailsWith(Reason::kInputUnreadable, _));
  EXPECT_THAT(ScoreMask(labels, Plane(), std::nullopt), FailsWith(Reason::kInternal, _));
}

}  // namespace
}  // namespace glint
