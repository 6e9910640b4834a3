// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/rounded_corners.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace glint::photometric {
namespace {

constexpr int kCorner = 80;  // px

int RadiusOf(const std::vector<cv::Mat>& gaps, double scale = 1) {
  return RadiusOfRoundedCorners(gaps, scale, {});
}

cv::Mat Sharp() { return {kCorner, kCorner, CV_8U, cv::Scalar(0)}; }
cv::Mat Round(int radius) { return OutsideRoundedCorner({kCorner, kCorner}, radius); }

/// A corner that was torn off along a straight line.
cv::Mat TornOff(int leg) {
  cv::Mat gap = Sharp();
  const std::vector<cv::Point> triangle{{0, 0}, {leg, 0}, {0, leg}};
  cv::fillConvexPoly(gap, triangle, cv::Scalar(255));
  return gap;
}

TEST(OutsideRoundedCorner, IsASquareWithoutAQuarterOfACircle) {
  const cv::Mat outside = Round(40);
  EXPECT_NEAR(cv::countNonZero(outside), 40 * 40 * (1 - CV_PI / 4), 10);
  EXPECT_EQ(cv::countNonZero(outside != outside.t()), 0);
  EXPECT_EQ(cv::countNonZero(Round(0)), 0);
}

TEST(RadiusOfRoundedCorners, IsThatOfTwoCornersOfACard) {
  EXPECT_NEAR(RadiusOf({Round(25), Sharp(), Sharp(), Round(25)}), 25, 1);
  EXPECT_EQ(RadiusOf({Round(25), Sharp(), Sharp(), Sharp()}), 0) << "one corner may be worn";
  EXPECT_EQ(RadiusOf({Sharp(), Sharp(), Sharp(), Sharp()}), 0);
}

TEST(RadiusOfRoundedCorners, IsThatOfTheCornersThatAreNotBlunted) {
  EXPECT_NEAR(RadiusOf({Round(38), Round(25), Round(26), Round(37)}), 25, 1);
}

TEST(RadiusOfRoundedCorners, AllowsForAQuadrilateralThatIsTooLarge) {
  cv::Mat moved = Sharp();
  Round(22)(cv::Rect(0, 0, 77, 80)).copyTo(moved(cv::Rect(3, 0, 77, 80)));
  EXPECT_NEAR(RadiusOf({moved, Sharp(), Sharp(), Round(25)}), 25, 1);
}

TEST(RadiusOfRoundedCorners, IsNoneOfCornersThatAreNotCutSo) {
  EXPECT_EQ(RadiusOf({Round(25), Sharp(), Sharp(), Round(40)}), 0) << "of different radii";
  EXPECT_EQ(RadiusOf({TornOff(25), TornOff(25), Sharp(), Sharp()}), 0) << "straight";
  EXPECT_EQ(RadiusOf({Round(8), Round(8), Sharp(), Sharp()}), 0) << "worn";
  EXPECT_EQ(RadiusOf({Round(60), Round(60), Sharp(), Sharp()}), 0) << "lost";
  EXPECT_EQ(RadiusOf({Round(25), Round(25), Sharp(), Sharp()}, 2), 0) << "worn, of a large object";
}

}  // namespace
}  // namespace glint::photometric
