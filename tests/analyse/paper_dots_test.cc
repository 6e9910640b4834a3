// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/paper_dots.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <random>
#include <vector>

#include "analyse/photometric/print/whiteness.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

const cv::Scalar kDotColour(236, 232, 222), kInkAround(60, 140, 70), kOtherInk(80, 90, 200);

/// A sheet of one ink.
class DotsOfPaper : public testing::Test {
 protected:
  void Dot(cv::Point at, const cv::Scalar& colour = kDotColour, int size = 2) {
    sheet_(cv::Rect(at.x, at.y, size, size)).setTo(colour);
  }

  std::vector<cv::Point> Find(int threads = 2, double blur = 0.7) {
    constexpr int kPaper = 222;
    cv::Mat seen;
    cv::GaussianBlur(sheet_, seen, {}, blur);
    ThreadPool pool(threads);
    return FindPaperDots(seen, WhitenessOf(seen), surface_, kPaper, params_, pool);
  }

  cv::Mat sheet_{200, 240, CV_8UC3, kInkAround};
  cv::Mat surface_{sheet_.size(), CV_8U, cv::Scalar(255)};
  PaperDotParams params_;
};

TEST_F(DotsOfPaper, AreWhereSpecksOfInkAreGone) {
  Dot({120, 40});
  Dot({60, 90});
  Dot({180, 90}, kDotColour, 1);
  const auto dots = Find();
  ASSERT_EQ(dots.size(), 3U) << "row by row";
  EXPECT_LE(cv::norm(dots[0] - cv::Point(120, 40)), 1.5);
  EXPECT_LE(cv::norm(dots[1] - cv::Point(60, 90)), 1.5);
  EXPECT_EQ(dots[2], cv::Point(180, 90));
}

TEST_F(DotsOfPaper, AreNotPartsOfALine) {
  cv::line(sheet_, {40, 60}, {160, 80}, kDotColour, 2, cv::LINE_AA);
  EXPECT_TRUE(Find().empty());
}

TEST_F(DotsOfPaper, AreNotSoft) {
  Dot({120, 40}, kDotColour, 4);
  EXPECT_TRUE(Find(2, 3).empty());
}

TEST_F(DotsOfPaper, AreNotOfAnotherInk) {
  Dot({120, 40}, kOtherInk);
  EXPECT_TRUE(Find().empty());
}

TEST_F(DotsOfPaper, AreNotWherePrintIsAsPaleAsPaper) {
  sheet_.setTo(kDotColour - cv::Scalar(30, 30, 30));
  Dot({120, 40}, cv::Scalar(255, 255, 255));
  EXPECT_TRUE(Find().empty());
}

TEST_F(DotsOfPaper, AreNotAtTheRimNorWhereTheObjectIsNotLookedAt) {
  Dot({2, 40});
  Dot({120, 40});
  surface_(cv::Rect(110, 30, 20, 20)).setTo(0);
  EXPECT_TRUE(Find().empty());
}

TEST_F(DotsOfPaper, AreTheSameOnAnyNumberOfThreads) {
  std::mt19937 random(7);
  for (int i = 0; i < 60; ++i) {
    Dot({static_cast<int>(random() % 236), static_cast<int>(random() % 196)});
  }
  const auto dots = Find(1);
  EXPECT_FALSE(dots.empty());
  EXPECT_EQ(dots, Find(5));
}

/// A line that ends at (100, 100) and points along the x axis.
class DotsAhead : public testing::Test {
 protected:
  std::optional<StraightLine> Find(const std::vector<cv::Point>& dots) const {
    return StretchOverDots({.x = 100, .y = 100}, dots, {400, 300}, params_);
  }

  DotRowParams params_;
};

TEST_F(DotsAhead, AreWhatALineGoesOnWith) {
  const auto stretch = Find({{150, 103}, {170, 104}, {190, 106}});
  ASSERT_TRUE(stretch.has_value());
  EXPECT_EQ(stretch->begin, 0);
  EXPECT_EQ(stretch->At(stretch->end), cv::Point(190, 106)) << "round a slight bend";
}

TEST_F(DotsAhead, MayBeBehindOneThatLiesBeside) {
  const auto stretch = Find({{130, 99}, {150, 99}, {170, 99}, {176, 102}});
  ASSERT_TRUE(stretch.has_value());
  EXPECT_EQ(stretch->At(stretch->end), cv::Point(170, 99));
}

TEST_F(DotsAhead, AreNotOneAlone) { EXPECT_FALSE(Find({{110, 100}}).has_value()); }

TEST_F(DotsAhead, AreNotToTheSideNorBehind) {
  EXPECT_FALSE(Find({{130, 120}, {150, 130}, {170, 140}}).has_value());
  EXPECT_FALSE(Find({{30, 100}, {50, 100}, {70, 100}}).has_value());
}

TEST_F(DotsAhead, AreNotFarFromEachOther) {
  EXPECT_TRUE(Find({{190, 100}, {200, 100}, {210, 100}}).has_value());
  EXPECT_FALSE(Find({{205, 100}, {210, 100}, {215, 100}}).has_value());
}

TEST_F(DotsAhead, AreNotThereByChance) {
  const std::vector<cv::Point> row{{150, 100}, {170, 100}, {190, 100}};
  std::vector<cv::Point> amid = row, elsewhere = row;
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    const int x = static_cast<int>(random() % 140), y = static_cast<int>(random() % 120);
    amid.emplace_back(90 + x, 40 + y);
    if (i < 20) elsewhere.emplace_back(300 + x / 2, 220 + y / 2);
  }
  EXPECT_TRUE(Find(row).has_value());
  EXPECT_FALSE(Find(amid).has_value()) << "many lie here";
  EXPECT_TRUE(Find(elsewhere).has_value()) << "a few far off";
}

TEST_F(DotsAhead, AreNoPattern) {
  std::vector<cv::Point> row, pattern;
  for (int i = 0; i < 8; ++i) {
    row.emplace_back(110 + 14 * i, 100);
    for (int j = 0; j < 3; ++j) pattern.emplace_back(110 + 14 * i, 80 + 20 * j);
  }
  EXPECT_TRUE(Find(row).has_value());
  EXPECT_FALSE(Find(pattern).has_value()) << "its parallels have as many";
}

}  // namespace
}  // namespace glint::photometric
