// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/corner_streaks.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric_drawing.h"
#include "base/thread_pool.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// A card of paper with a dark border of 40 px.
class CornerStreaks : public testing::Test {
 protected:
  CornerStreaks() { AsMat(albedo_)(cv::Rect(40, 40, 320, 420)).setTo(cv::Scalar(220 * kGrey)); }

  /// Brightens or darkens what lies on a line, 2 px wide.
  void Streak(cv::Point from, cv::Point to, int grey) {
    cv::Mat line = cv::Mat::zeros(AsMat(albedo_).size(), CV_8U);
    cv::line(line, from, to, cv::Scalar(255), 2);
    cv::add(AsMat(albedo_), grey * kGrey, AsMat(albedo_), line);
  }

  std::vector<FoundLine> Find(const CornerStreakParams& params = {}, int threads = 2) const {
    ThreadPool pool(threads);
    return FindCornerStreaks(albedo_, surface_, params, pool);
  }

  Plane albedo_ = Filled({400, 500}, PixelType::kS16, 60 * kGrey);
  Plane surface_ = Filled({400, 500}, PixelType::kU8, 255);
};

void ExpectEnds(const StraightLine& line, cv::Point from, cv::Point to) {
  const cv::Point begin = line.At(line.begin), end = line.At(line.end);
  EXPECT_LE(cv::norm(begin - from), 3) << begin << " is not " << from;
  EXPECT_LE(cv::norm(end - to), 3) << end << " is not " << to;
}

TEST_F(CornerStreaks, AreBrighterThanWhateverPrintTheyCross) {
  Streak({0, 120}, {100, 0}, 8);
  const auto found = Find();
  ASSERT_EQ(found.size(), 1U);
  ExpectEnds(found[0].line, {0, 120}, {100, 0});
  EXPECT_TRUE(found[0].bare) << "no view has to show it";
  EXPECT_GT(found[0].score, found[0].needed);
}

TEST_F(CornerStreaks, AreFoundAcrossEveryCornerThePlainestFirst) {
  Streak({0, 120}, {100, 0}, 12);
  Streak({50, 60}, {62, 45}, -12);  // a gap in it
  Streak({399, 120}, {300, 0}, 12);
  Streak({0, 380}, {100, 499}, 12);
  Streak({399, 380}, {300, 499}, 12);
  const auto found = Find();
  ASSERT_EQ(found.size(), 4U);
  for (const FoundLine& line : found) EXPECT_GE(line.score, line.needed);
  EXPECT_LT(found[3].score, found[2].score);
  ExpectEnds(found[3].line, {0, 120}, {100, 0});
}

TEST_F(CornerStreaks, MayHaveOneSlopeInTheShade) {
  Streak({0, 124}, {104, 0}, -15);
  Streak({0, 120}, {100, 0}, 12);
  EXPECT_EQ(Find().size(), 1U);
}

TEST_F(CornerStreaks, AreNotTheRimOfAPrintedCorner) {
  cv::fillPoly(AsMat(albedo_), std::vector<std::vector<cv::Point>>{{{0, 0}, {100, 0}, {0, 120}}},
               cv::Scalar(130 * kGrey));
  Streak({0, 120}, {100, 0}, 60);
  EXPECT_TRUE(Find().empty());
}

TEST_F(CornerStreaks, AreNotDarkNorFaintNorBroad) {
  Streak({0, 120}, {100, 0}, -8);
  Streak({399, 120}, {300, 0}, 2);
  cv::Mat broad = cv::Mat::zeros(AsMat(albedo_).size(), CV_8U);
  cv::line(broad, {0, 380}, {100, 499}, cv::Scalar(255), 12);
  cv::add(AsMat(albedo_), 20 * kGrey, AsMat(albedo_), broad);
  EXPECT_TRUE(Find().empty());
}

TEST_F(CornerStreaks, GoAllTheWay) {
  Streak({0, 120}, {50, 60}, 20);
  EXPECT_TRUE(Find().empty());
}

TEST_F(CornerStreaks, AreNotTheRoundedCornerItself) {
  Streak({0, 50}, {50, 0}, 12);
  EXPECT_TRUE(Find().empty());
  EXPECT_EQ(Find({.min_length_px = 50}).size(), 1U);
}

TEST_F(CornerStreaks, AreNotTheEdgeOfAGap) {
  Streak({0, 120}, {100, 0}, 12);
  cv::fillPoly(AsMat(surface_), std::vector<std::vector<cv::Point>>{{{0, 0}, {85, 0}, {0, 102}}},
               cv::Scalar(0));
  EXPECT_TRUE(Find().empty());
}

TEST_F(CornerStreaks, AreNotLookedForOnWhatIsTooSmall) {
  albedo_ = Filled({1, 40}, PixelType::kS16, 60 * kGrey);
  surface_ = Filled({1, 40}, PixelType::kU8, 255);
  EXPECT_TRUE(Find().empty());
}

TEST_F(CornerStreaks, AreTheSameOnAnyNumberOfThreads) {
  Streak({0, 120}, {100, 0}, 10);
  Streak({399, 120}, {300, 0}, 12);
  const auto one = Find({}, 1), four = Find({}, 4);
  ASSERT_EQ(one.size(), 2U);
  ASSERT_EQ(four.size(), 2U);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].score, four[i].score);
}

}  // namespace
}  // namespace glint::photometric
