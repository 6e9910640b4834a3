// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/dash_pixels.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr int kInkWhite = 60, kPaperWhite = 230;

/// A sheet of one ink.
class PixelsOfDashes : public testing::Test {
 protected:
  void Bar(cv::Rect where, int white = kPaperWhite) { whiteness_(where).setTo(white); }

  DashRidges Ridges(int threads = 2) const {
    ThreadPool pool(threads);
    return FindDashRidges(whiteness_, params_.min_grey, {}, pool);
  }

  std::vector<std::vector<cv::Point>> Find() const {
    return FindDashPixels(whiteness_, surface_, Ridges(), kPaperWhite, params_);
  }

  cv::Mat whiteness_{100, 140, CV_8U, cv::Scalar(kInkWhite)};
  cv::Mat surface_{whiteness_.size(), CV_8U, cv::Scalar(255)};
  DashPixelParams params_;
};

TEST_F(PixelsOfDashes, AreThoseOfAThinBar) {
  const cv::Rect bar(50, 40, 16, 2);
  Bar(bar);
  const auto found = Find();
  ASSERT_EQ(found.size(), 1U);
  const cv::Rect box = cv::boundingRect(found[0]);
  EXPECT_EQ(box & bar, bar) << box;
  EXPECT_LE(box.width, bar.width + 4) << "averages widen its ends";
  EXPECT_LE(box.height, bar.height + 4);
}

TEST_F(PixelsOfDashes, AreOfAnyDirection) {
  for (int i = 0; i < 16; ++i) Bar({50 + i, 40 + i, 2, 2});
  EXPECT_EQ(Find().size(), 1U);
}

TEST_F(PixelsOfDashes, AreWhiterThanBothSidesByTheirContrast) {
  Bar({50, 40, 16, 2});
  const DashRidges ridges = Ridges();
  EXPECT_EQ(ridges.contrast.at<std::int16_t>(40, 58), (kPaperWhite - kInkWhite) * ridges.per_grey);
  EXPECT_EQ(ridges.sides.at<std::int16_t>(40, 58), 0);
  EXPECT_EQ(ridges.contrast.at<std::int16_t>(70, 58), 0);
}

TEST_F(PixelsOfDashes, AreInTheOrderOfTheirFirstOnes) {
  Bar({30, 60, 16, 2});
  Bar({100, 30, 2, 16});
  Bar({60, 30, 2, 16});
  const auto found = Find();
  ASSERT_EQ(found.size(), 3U);
  EXPECT_NEAR(found[0].front().x, 60, 2);
  EXPECT_NEAR(found[1].front().x, 100, 2);
  EXPECT_NEAR(found[2].front().y, 60, 2);
}

TEST_F(PixelsOfDashes, AreNotOfAWideBar) {
  Bar({50, 0, 20, 100});
  EXPECT_TRUE(Find().empty());
}

TEST_F(PixelsOfDashes, AreNotAnEdgeBetweenTwoInks) {
  Bar({70, 0, 70, 100}, 140);
  EXPECT_TRUE(Find().empty());
  Bar({70, 0, 2, 100}, 200);
  EXPECT_TRUE(Find().empty()) << "nor what lies along one";
  params_.max_side_share = 2;
  EXPECT_EQ(Find().size(), 1U);
}

TEST_F(PixelsOfDashes, AreNotOnBarePaper) {
  whiteness_.setTo(210);
  Bar({50, 40, 16, 2});
  EXPECT_TRUE(Find().empty());
  params_.min_ink_grey = 15;
  EXPECT_EQ(Find().size(), 1U);
}

TEST_F(PixelsOfDashes, AreWhereMuchOfTheInkIsGone) {
  Bar({50, 40, 16, 2}, kInkWhite + 34);
  EXPECT_TRUE(Find().empty()) << "a fifth of it";
  params_.min_lost_share = 0.15;
  EXPECT_EQ(Find().size(), 1U);
}

TEST_F(PixelsOfDashes, AreNotFaint) {
  Bar({50, 40, 16, 2});
  params_.min_grey = 175;
  EXPECT_TRUE(Find().empty());
}

TEST_F(PixelsOfDashes, AreNotFew) {
  Bar({50, 40, 16, 2});
  params_.min_pixels = static_cast<int>(Find().at(0).size());
  EXPECT_EQ(Find().size(), 1U);
  ++params_.min_pixels;
  EXPECT_TRUE(Find().empty());
}

TEST_F(PixelsOfDashes, EndBeforeTheRim) {
  Bar({0, 40, 16, 2});
  const auto found = Find();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(cv::boundingRect(found[0]).x, params_.rim_px);
  params_.rim_px = 20;
  EXPECT_TRUE(Find().empty());
}

TEST_F(PixelsOfDashes, AreNotWhereTheObjectIsNotLookedAt) {
  Bar({50, 40, 16, 2});
  surface_(cv::Rect(40, 30, 40, 20)).setTo(0);
  EXPECT_TRUE(Find().empty());
}

TEST_F(PixelsOfDashes, AreTheSameOnAnyNumberOfThreads) {
  cv::RNG random(5);
  random.fill(whiteness_, cv::RNG::UNIFORM, 0, 256);
  const DashRidges one = Ridges(1), four = Ridges(4);
  EXPECT_GT(cv::countNonZero(one.contrast), 0);
  EXPECT_EQ(cv::countNonZero(one.contrast != four.contrast), 0);
  EXPECT_EQ(cv::countNonZero(one.sides != four.sides), 0);
}

}  // namespace
}  // namespace glint::photometric
