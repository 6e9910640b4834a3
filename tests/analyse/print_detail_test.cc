// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/scene/print_detail.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <vector>

#include "base/mat.h"

namespace glint::photometric {
namespace {

constexpr int kAlbedoUnits = 64;
const cv::Point kOnLine(100, 100);

/// Print of stripes with a line across it, seen with less and less contrast.
class Detail : public testing::Test {
 protected:
  Detail() {
    for (int x = 0; x < kSide; x += 8) print_(cv::Rect(x, 0, 4, kSide)).setTo(160);
    print_.convertTo(AsMat(albedo_), CV_16S, kAlbedoUnits);
    AsMat(ids_).setTo(0);
    AsMat(ids_)(cv::Rect(80, 100, 40, 1)).setTo(1);
  }

  void See(double contrast) {
    cv::Mat view;
    print_.convertTo(view, CV_8U, contrast, 100 - 100 * contrast);
    greys_.push_back(AsPlane(view));
    valid_.push_back(Plane::Host({kSide, kSide}, PixelType::kU8));
    AsMat(valid_.back()).setTo(255);
  }

  PrintDetail Measured(int threads = 2) const {
    ThreadPool pool(threads);
    return {greys_, valid_, albedo_, ids_, params_, pool};
  }

  static constexpr int kSide = 200;
  cv::Mat print_{kSide, kSide, CV_8U, cv::Scalar(100)};
  Plane albedo_ = Plane::Host({kSide, kSide}, PixelType::kS16);
  Plane ids_ = Plane::Host({kSide, kSide}, PixelType::kS32);
  std::vector<Plane> greys_, valid_;
  PrintDetailParams params_;
};

TEST_F(Detail, IsHowMuchOfTheAlbedosGradientAViewShows) {
  for (const double contrast : {1.0, 0.5, 0.0}) See(contrast);
  const PrintDetail detail = Measured();
  EXPECT_NEAR(detail.In(0, kOnLine).value(), 1, 1e-9);
  EXPECT_NEAR(detail.In(1, kOnLine).value(), 0.5, 1e-9);
  EXPECT_NEAR(detail.In(2, kOnLine).value(), 0, 1e-9);
}

TEST_F(Detail, SeesThinStrokesWhereverTheyLie) {
  for (const int at : {20, 21, 22, 23}) {
    for (const bool upright : {false, true}) {
      print_.setTo(100);
      for (int i = at; i < kSide; i += 24) {
        (upright ? print_.col(i) : print_.row(i)).setTo(60);
      }
      print_.convertTo(AsMat(albedo_), CV_16S, kAlbedoUnits);
      greys_.clear();
      See(0.5);
      EXPECT_NEAR(Measured().In(0, kOnLine).value_or(0), 0.5, 1e-9) << at << upright;
    }
  }
}

TEST_F(Detail, IsTheSameForAnyNumberOfThreads) {
  for (const double contrast : {1.0, 0.7, 0.3}) See(contrast);
  const PrintDetail one = Measured(1), four = Measured(4);
  for (std::size_t view = 0; view < greys_.size(); ++view) {
    EXPECT_EQ(one.In(view, kOnLine), four.In(view, kOnLine));
  }
}

TEST_F(Detail, TakesNoNoticeOfWhatLiesAroundALine) {
  See(1);
  AsMat(greys_[0])(cv::Rect(80, 96, 40, 9)).setTo(0);  // a deep crease
  EXPECT_NEAR(Measured().In(0, kOnLine).value(), 1, 1e-9);
}

TEST_F(Detail, IsAskedOfWhatAViewShows) {
  See(1);
  AsMat(greys_[0])(cv::Rect(0, 0, kSide, 90)).setTo(0);
  AsMat(valid_[0])(cv::Rect(0, 0, kSide, 92)).setTo(0);
  EXPECT_NEAR(Measured().In(0, kOnLine).value(), 1, 1e-9);
  AsMat(valid_[0]).setTo(0);
  EXPECT_FALSE(Measured().In(0, kOnLine).has_value());
}

TEST_F(Detail, IsNothingWithoutPrint) {
  See(1);
  AsMat(albedo_).setTo(100 * kAlbedoUnits);
  EXPECT_FALSE(Measured().In(0, kOnLine).has_value());
}

TEST_F(Detail, ReachesToTheObjectsSides) {
  See(1);
  AsMat(ids_).at<std::int32_t>(199, 199) = 2;
  EXPECT_NEAR(Measured().In(0, {199, 199}).value(), 1, 1e-9);
}

}  // namespace
}  // namespace glint::photometric
