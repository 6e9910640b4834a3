// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/region_scores.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace glint {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Plane Ids(const std::vector<std::pair<Rectangle, int>>& drawn) {
  Plane plane = Plane::Host({100, 80}, PixelType::kS32);
  for (int y = 0; y < 80; ++y) std::fill_n(plane.Row<std::int32_t>(y), 100, 0);
  for (const auto& [box, id] : drawn) {
    for (int y = box.y; y < box.y + box.height; ++y) {
      std::fill_n(plane.Row<std::int32_t>(y) + box.x, box.width, id);
    }
  }
  return plane;
}

ScanLabels Known(const Plane& ids) {
  ScanLabels labels;
  labels.flat_size = ids.size();
  labels.ids = ids;
  return labels;
}

constexpr Rectangle kLeft = {10, 10, 10, 10};
constexpr Rectangle kRight = {60, 40, 20, 10};
constexpr Rectangle kWrong = {80, 5, 10, 10};

TEST(RegionScores, AddWhatEachRegionFindsTheSurestFirst) {
  const RegionScores scores =
      ScoreRegions(Known(Ids({{kLeft, 1}, {kRight, 2}})),
                   Ids({{kLeft, 1}, {kWrong, 2}, {kRight, 3}}), {{1, 0.9}, {2, 0.5}, {3, 0.7}});
  EXPECT_EQ(scores.true_pixels, 300);
  ASSERT_EQ(scores.regions.size(), 3U);
  EXPECT_EQ(scores.regions[0].recalled, 100);
  EXPECT_EQ(scores.regions[1].recalled, 200);
  EXPECT_EQ(scores.regions[2].right, 0);
  const auto curve = PrecisionRecall(std::vector{scores});
  ASSERT_EQ(curve.size(), 3U);
  EXPECT_EQ(curve[0].precision, 1);
  EXPECT_NEAR(curve[0].recall, 1.0 / 3, 1e-9);
  EXPECT_NEAR(curve[2].precision, 0.75, 1e-9);
  EXPECT_EQ(curve[2].recall, 1);
  EXPECT_NEAR(AveragePrecision(curve), 1, 1e-9) << "the wrong one comes last";
}

TEST(RegionScores, CountATruePixelOnce) {
  const Plane twice = Ids({{{10, 10, 10, 5}, 1}, {{10, 15, 10, 5}, 2}});
  const RegionScores scores = ScoreRegions(Known(Ids({{kLeft, 1}})), twice, {{1, 0.9}, {2, 0.8}});
  EXPECT_EQ(scores.regions[0].recalled, 80) << "its own 50 and three rows beyond";
  EXPECT_EQ(scores.regions[1].recalled, 20);
  EXPECT_EQ(scores.regions[1].right, 50);
}

TEST(RegionScores, AreOneCurveForAllScans) {
  const ScanLabels known = Known(Ids({{kLeft, 1}}));
  const std::vector scans = {ScoreRegions(known, Ids({{kWrong, 1}}), {{1, 0.9}}),
                             ScoreRegions(known, Ids({{kLeft, 1}}), {{1, 0.9}})};
  const auto curve = PrecisionRecall(scans);
  ASSERT_EQ(curve.size(), 1U) << "equal scores are taken together";
  EXPECT_EQ(curve[0].precision, 0.5);
  EXPECT_EQ(curve[0].recall, 0.5);
  EXPECT_THAT(PrecisionRecall(std::vector{ScoreRegions(Known(Ids({})), Ids({{kLeft, 1}}), {})}),
              IsEmpty());
  EXPECT_THAT(CurvePlot(curve), testing::AllOf(HasSubstr("<svg "), HasSubstr("M260.0 240.0")));
}

}  // namespace
}  // namespace glint
