// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/reliability.h"

#include <gmock/gmock.h>

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

RegionScore Region(double score, int pixels, int right) {
  return {.score = score, .pixels = pixels, .right = right, .recalled = 0};
}

TEST(Reliability, CountsRegionsByTenthsOfTheirScore) {
  const std::vector<RegionScores> scans = {
      {.regions = {Region(0.95, 100, 90), Region(1, 10, 0), Region(0.32, 10, 5)}, .true_pixels = 9},
      {.regions = {Region(0.93, 10, 5), Region(0.38, 100, 49), Region(0, 5, 0)}, .true_pixels = 0}};
  const auto bins = MeasureReliability(scans);
  ASSERT_EQ(bins.size(), 10U);
  EXPECT_EQ(bins[9].regions, 3) << "1 belongs to the last";
  EXPECT_EQ(bins[9].right, 2);
  EXPECT_NEAR(bins[9].mean_score, 0.96, 1e-9);
  EXPECT_EQ(bins[3].regions, 2);
  EXPECT_EQ(bins[3].right, 1) << "half is enough, less is not";
  EXPECT_EQ(bins[0].regions, 0) << "what no report lists has no score";
  EXPECT_NEAR(CalibrationError(bins), (3 * (0.96 - 2.0 / 3) + 2 * (0.5 - 0.35)) / 5, 1e-9);
}

TEST(Reliability, OfNothingIsNoError) {
  const auto bins = MeasureReliability({});
  EXPECT_EQ(CalibrationError(bins), 0);
  EXPECT_THAT(ReliabilityPlot(bins), AllOf(HasSubstr("<svg "), Not(HasSubstr("<circle"))));
}

TEST(Reliability, IsPlottedAgainstTheDiagonal) {
  const std::vector<RegionScores> scans = {
      {.regions = {Region(0.5, 10, 10), Region(0.5, 10, 0)}, .true_pixels = 10}};
  EXPECT_THAT(ReliabilityPlot(MeasureReliability(scans)),
              AllOf(HasSubstr("calibration error 0.000"), HasSubstr("cx=\"260.0\" cy=\"240.0\""),
                    HasSubstr(">1/2<"), HasSubstr("M60 440L460 40")));
}

}  // namespace
}  // namespace glint
