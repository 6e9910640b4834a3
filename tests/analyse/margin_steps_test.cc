// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/margin_steps.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <vector>

#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr int kPageGrey = 230;
constexpr int kFoldRow = 120;  // row

/// A page of paper that is darker below a fold, as far as both sides.
/// @param streaks  grey: by which its rows differ
cv::Mat FoldedMargins(int step, int streaks = 0) {
  cv::Mat page(300, 200, CV_16S), rows(300, 1, CV_16S);
  cv::RNG random(3);
  random.fill(page, cv::RNG::UNIFORM, -kGrey, kGrey);
  random.fill(rows, cv::RNG::UNIFORM, -streaks * kGrey, streaks * kGrey + 1);
  page += cv::repeat(rows, 1, page.cols) + cv::Scalar(kPageGrey * kGrey);
  page.rowRange(kFoldRow, page.rows) -= cv::Scalar(step * kGrey);
  return page;
}

/// Prints on both margins.
void PrintRows(cv::Mat& page, const cv::Range& rows, int grey) {
  page(rows, cv::Range::all()).setTo(grey * kGrey);
}

TEST(MarginSteps, AreWhereAPageIsFolded) {
  const cv::Mat page = FoldedMargins(6);
  const auto [left, right] = FindMarginSteps(page, {});
  for (const std::vector<MarginStep>& steps : {left, right}) {
    ASSERT_EQ(steps.size(), 1U);
    EXPECT_NEAR(steps[0].across, kFoldRow, 2);
    EXPECT_NEAR(steps[0].grey, 6, 1);
  }
  cv::Mat upside_down;
  cv::flip(page, upside_down, 0);
  EXPECT_LT(FindMarginSteps(upside_down, {}).first.at(0).grey, 0) << "darker above";
}

TEST(MarginSteps, AreNoneOnAPlainPage) {
  const auto [left, right] = FindMarginSteps(FoldedMargins(0), {});
  EXPECT_TRUE(left.empty() && right.empty());
}

TEST(MarginSteps, AreOfOneMarginWhereTheOtherHasNone) {
  cv::Mat page = FoldedMargins(6);
  page.colRange(100, 200).setTo(kPageGrey * kGrey);
  const auto [left, right] = FindMarginSteps(page, {});
  EXPECT_EQ(left.size(), 1U);
  EXPECT_TRUE(right.empty());
}

TEST(MarginSteps, AreLargerThanThoseOfTheRestOfTheMargin) {
  EXPECT_TRUE(FindMarginSteps(FoldedMargins(6, 4), {}).first.empty()) << "laid paper";
  EXPECT_FALSE(FindMarginSteps(FoldedMargins(6, 4), {.min_deviations = 2}).first.empty());
  EXPECT_TRUE(FindMarginSteps(FoldedMargins(1), {}).first.empty()) << "too small a step";
}

TEST(MarginSteps, AreOfBarePaper) {
  cv::Mat beside = FoldedMargins(6);
  PrintRows(beside, {kFoldRow + 2, kFoldRow + 20}, 60);
  EXPECT_TRUE(FindMarginSteps(beside, {}).first.empty()) << "print is beside it";
  EXPECT_TRUE(FindMarginSteps(FoldedMargins(30), {}).first.empty()) << "too large a step for shade";
  cv::Mat dark = FoldedMargins(0);
  PrintRows(dark, {kFoldRow, kFoldRow + 60}, kPageGrey - 60);
  PrintRows(dark, {kFoldRow + 60, kFoldRow + 90}, kPageGrey - 66);
  EXPECT_TRUE(FindMarginSteps(dark, {}).first.empty()) << "within print that is plain";
  EXPECT_FALSE(FindMarginSteps(dark, {.max_darker_grey = 100}).first.empty());
}

TEST(MarginSteps, NeedAMargin) {
  cv::Mat page = FoldedMargins(6);
  PrintRows(page, {kFoldRow + 20, page.rows}, 60);
  EXPECT_TRUE(FindMarginSteps(page, {}).first.empty()) << "print runs up to most of the side";
  EXPECT_FALSE(FindMarginSteps(page, {.min_bare_share = 0.3}).first.empty());
  EXPECT_TRUE(FindMarginSteps(page.colRange(0, 8), {}).first.empty()) << "no room for one";
}

}  // namespace
}  // namespace glint::photometric
