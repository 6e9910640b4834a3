// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/printed_gaps.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/photometric/outline/view_coherence.h"
#include "base/mat.h"
#include "base/thread_pool.h"
#include "glint/stored_plane.h"

namespace glint::photometric {
namespace {

constexpr int kGapViews = 12;

/// A grain of soft blotches. @param seed  another one, another grain
cv::Mat Grain(cv::Size size, int seed) {
  cv::Mat grain(size, CV_8U);
  cv::RNG random(static_cast<std::uint64_t>(seed) + 1);
  random.fill(grain, cv::RNG::UNIFORM, 60, 140);
  cv::blur(grain, grain, {3, 3});
  return grain;
}

/// An object with a gap in its left side, before and behind which something shows.
class AGap : public testing::Test {
 protected:
  /// @param moves  whether what shows in the gap is another grain in every view
  void Show(bool moves, bool plain = false) {
    greys_.clear();
    valid_.clear();
    for (int i = 0; i < kGapViews; ++i) {
      cv::Mat grey = Grain({120, 120}, 0);
      Grain(gap_.size(), moves ? i + 1 : 1).copyTo(grey(gap_));
      if (plain) grey(gap_).setTo(100 + i);
      greys_.push_back(AsPlane(grey));
      valid_.push_back(AsPlane(cv::Mat(grey.size(), CV_8U, cv::Scalar(255))));
    }
  }

  /// Whether the gap is given back.
  bool IsGivenBack(double surroundings) const {
    cv::Mat damage(120, 120, CV_8U, cv::Scalar(0));
    damage(gap_).setTo(255);
    Outline outline{.damage = AsPlane(damage),
                    .torn = torn_,
                    .covered = {},
                    .body = AsPlane(cv::Mat(damage == 0)),
                    .shape = {}};
    GiveBackPrintedGaps(greys_, valid_, surroundings, {}, outline);
    const int left = cv::countNonZero(AsMat(outline.damage));
    EXPECT_EQ(cv::countNonZero(AsMat(outline.body)), 120 * 120 - left);
    EXPECT_TRUE(left == 0 || left == gap_.area()) << left;
    return left == 0;
  }

  cv::Rect gap_{0, 40, 40, 44};
  std::vector<Plane> greys_, valid_;
  Plane torn_;
};

TEST_F(AGap, IsPrintWhereItStaysOnWhatMoves) {
  Show(false);
  EXPECT_TRUE(IsGivenBack(0.1));
}

TEST_F(AGap, IsPrintWhereItStaysOnWhatMovesALittle) {
  Show(false);
  EXPECT_TRUE(IsGivenBack(0.45)) << "the table lies deeper than the object";
  EXPECT_FALSE(IsGivenBack(0.65));
}

TEST_F(AGap, IsNoPrintWhereItMovesAsLittleAsTheTable) {
  Show(false);
  for (std::size_t i = 0; i < kGapViews; ++i) {  // three quarters of its structure stay
    cv::Mat shown = AsMat(greys_[i])(gap_);
    cv::Mat other = Grain(gap_.size(), static_cast<int>(i) + 2);
    cv::addWeighted(shown, 1, other, 0.67, -67, shown);
  }
  EXPECT_TRUE(IsGivenBack(0.3));
  EXPECT_FALSE(IsGivenBack(0.45));
}

TEST_F(AGap, IsPrintThoughItIsDark) {
  for (const bool moves : {false, true}) {
    Show(moves);
    for (Plane& grey : greys_) {  // a sixth of the contrast
      cv::Mat shown = AsMat(grey)(gap_);
      shown.convertTo(shown, CV_8U, 1.0 / 6);
    }
    EXPECT_EQ(IsGivenBack(0.1), !moves);
  }
}

TEST_F(AGap, ThatIsShallowIsJudgedUpToTheRim) {
  gap_ = {0, 40, 9, 30};
  Show(false);
  EXPECT_TRUE(IsGivenBack(0.1));
  Show(true);
  EXPECT_FALSE(IsGivenBack(0.1));
}

TEST_F(AGap, ThatIsThinIsJudgedNearItsBoundary) {
  gap_ = {0, 40, 40, 9};
  Show(false);
  EXPECT_TRUE(IsGivenBack(0.1));
  EXPECT_TRUE(IsGivenBack(0.65));
  EXPECT_FALSE(IsGivenBack(0.8));
  Show(true);
  EXPECT_FALSE(IsGivenBack(0.1));
}

TEST_F(AGap, IsNoPrintWhereASlitAndItsLipsStay) {
  gap_ = {0, 40, 40, 9};
  Show(false);
  for (Plane& grey : greys_) {
    AsMat(grey)(gap_).setTo(230);  // bare paper
    AsMat(grey)(cv::Rect(0, 43, 36, 3)).setTo(30);
  }
  EXPECT_FALSE(IsGivenBack(0.1));
}

TEST_F(AGap, IsNoPrintWherePaperIsTorn) {
  Show(false);
  cv::Mat torn(120, 120, CV_8U, cv::Scalar(0));
  torn(gap_)(cv::Rect(0, 10, 20, 5)).setTo(255);
  torn_ = AsPlane(torn);
  EXPECT_FALSE(IsGivenBack(0.1));
}

TEST_F(AGap, IsNotKnownToBePrintWhereTheObjectLiesStill) {
  Show(false);
  EXPECT_FALSE(IsGivenBack(0.8));
}

TEST_F(AGap, IsOneWhereTheTableMovesBehindIt) {
  Show(true);
  EXPECT_FALSE(IsGivenBack(0.1));
}

TEST_F(AGap, IsOneWhereNothingShowsInIt) {
  Show(false, true);
  EXPECT_FALSE(IsGivenBack(0.1));
}

TEST_F(AGap, IsOneWhereTooFewViewsShowIt) {
  Show(false);
  for (std::size_t i = 5; i < kGapViews; ++i) AsMat(valid_[i])(gap_).setTo(0);
  EXPECT_FALSE(IsGivenBack(0.1));
}

/// Views of an object with what lies around it.
std::vector<StoredPlane> Surroundings(bool moves) {
  std::vector<StoredPlane> colours;
  for (int i = 0; i < kGapViews; ++i) {
    cv::Mat grey = Grain({168, 168}, moves ? i + 1 : 1);
    Grain({120, 120}, 0).copyTo(grey(cv::Rect(24, 24, 120, 120)));
    cv::Mat colour;
    cv::cvtColor(grey, colour, cv::COLOR_GRAY2RGB);
    colours.emplace_back(AsPlane(colour));
  }
  return colours;
}

TEST(CoherenceOfSurroundings, TellsATableThatMovesFromOneThatDoesNot) {
  ThreadPool pool(2);
  EXPECT_GT(CoherenceOfSurroundings(Surroundings(false), {}, pool), 0.99);
  EXPECT_LT(CoherenceOfSurroundings(Surroundings(true), {}, pool), 0.15);
  EXPECT_EQ(CoherenceOfSurroundings({}, {}, pool), 1) << "nothing is known";
}

TEST(ViewCoherence, IsTheShareOfStructureThatAllViewsShow) {
  const cv::Mat grain = Grain({40, 40}, 3);
  cv::Mat half;  // the same, half as strong, and brighter
  grain.convertTo(half, CV_8U, 0.5, 60);
  const std::vector<cv::Mat> views = {grain, half};
  const auto sums = ViewCoherence(views, {}).In({10, 10, 20, 20});
  EXPECT_EQ(sums.pixels, 400);
  EXPECT_NEAR(sums.Share(), 0.75 * 0.75 / ((1 + 0.25) / 2), 0.02);
}

}  // namespace
}  // namespace glint::photometric
