// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/lost_ink.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>

#include "base/mat.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr int kGreyUnit = 64;
constexpr std::uint8_t kVertical = 8;

/// Dark print with a white strip from top to bottom, and a line's ridge beside it.
class LostInk : public testing::Test {
 protected:
  LostInk() {
    AsMat(albedo_).setTo(60 * kGreyUnit);
    AsMat(albedo_).colRange(58, 61).setTo(220 * kGreyUnit);
    AsMat(ids_).setTo(0);
    AsMat(directions_).setTo(kVertical);
  }
  cv::Mat Find(int ridge_x) {
    AsMat(ids_).col(ridge_x).rowRange(20, 60).setTo(1);
    ThreadPool pool(2);
    return AsMat(FindLostInk(ids_, directions_, FindPrintContours(albedo_, {}, pool), {})).clone();
  }

  Plane albedo_ = Plane::Host({120, 100}, PixelType::kS16);
  Plane ids_ = Plane::Host({120, 100}, PixelType::kS32);
  Plane directions_ = Plane::Host({120, 100}, PixelType::kU8);
};

TEST_F(LostInk, IsTheBrightStreakBesideALineAndNoLonger) {
  const cv::Mat found = Find(62);
  EXPECT_EQ(found.at<std::uint8_t>(40, 59), 255);
  EXPECT_EQ(found.at<std::uint8_t>(40, 62), 0);
  EXPECT_EQ(found.at<std::uint8_t>(70, 59), 0);
}

TEST_F(LostInk, IsNoStreakFarFromTheLine) { EXPECT_EQ(cv::countNonZero(Find(70)), 0); }

TEST_F(LostInk, IsNoStreakThatCrossesTheLine) {
  AsMat(directions_).setTo(0);
  EXPECT_EQ(cv::countNonZero(Find(62)), 0);
}

TEST_F(LostInk, IsNoEdgeOfThePrint) {
  AsMat(albedo_).colRange(58, 120).setTo(220 * kGreyUnit);
  EXPECT_EQ(cv::countNonZero(Find(62)), 0);
}

}  // namespace
}  // namespace glint::photometric
