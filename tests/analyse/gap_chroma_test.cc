// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/gap_chroma.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "analyse/photometric/outline/outline.h"

namespace glint::photometric {
namespace {

const cv::Size kSheetSize(120, 160);
const cv::Scalar kTableLab(120, 138, 151);  // brown wood

/// A gap that opens to the left, and the table around a sheet.
struct SheetWithGap {
  Background around;
  cv::Mat gap{kSheetSize, CV_8U, cv::Scalar(0)};

  SheetWithGap(int width_px, const cv::Scalar& gap_lab) {
    const cv::Rect piece(0, 60, 24, width_px);
    gap(piece).setTo(255);
    const cv::Size all = kSheetSize + cv::Size(2 * kBackgroundMargin, 2 * kBackgroundMargin);
    around.ring = cv::Mat(all, CV_8U, cv::Scalar(255));
    const cv::Rect object = ObjectIn(all);
    around.ring(object).setTo(0);
    for (int c = 0; c < 3; ++c) {
      cv::Mat& channel = around.lab[static_cast<std::size_t>(c)];
      channel = cv::Mat(all, CV_16U, kTableLab[c] * kColourUnit);
      channel(object).setTo(c == 0 ? 200 * kColourUnit : 128 * kColourUnit);
      channel(piece + object.tl()).setTo(gap_lab[c] * kColourUnit);
    }
  }

  bool HasOtherHue(const GapChromaParams& params = {}) const {
    return cv::countNonZero(GapsOfOtherHue(gap, around, 1, params)) > 0;
  }
};

TEST(GapChroma, IsTheTablesWhereSomethingIsGone) {
  EXPECT_FALSE(SheetWithGap(16, kTableLab).HasOtherHue());
}

TEST(GapChroma, IsNotThatOfPrintOfNearlyItsColour) {
  const SheetWithGap print(16, {120, 133, 147});
  EXPECT_TRUE(print.HasOtherHue());
  EXPECT_FALSE(print.HasOtherHue({.max_difference_lab = 10}));
}

TEST(GapChroma, MayBePaledByShadowAsMuchAsItIsDarkened) {
  // Half as bright in L + 16: so are a and b.
  EXPECT_FALSE(SheetWithGap(16, {(120 + 40.8) / 2 - 40.8, 133, 139.5}).HasOtherHue());
  EXPECT_TRUE(SheetWithGap(16, {120, 133, 139.5}).HasOtherHue()) << "it is not darker";
}

TEST(GapChroma, IsNotAskedOfANarrowGap) {
  EXPECT_FALSE(SheetWithGap(6, {120, 128, 128}).HasOtherHue()) << "blur mixes in the lips";
  EXPECT_TRUE(SheetWithGap(6, {120, 128, 128}).HasOtherHue({.min_middle_px = 2}));
}

TEST(GapChroma, MayVaryAsThatOfThePatternAround) {
  SheetWithGap print(16, {120, 133, 147});
  for (int y = 0; y < print.around.ring.rows; y += 2) {
    print.around.lab[2].row(y) += 8 * kColourUnit;
    print.around.lab[2].row(y + 1) -= 8 * kColourUnit;
  }
  EXPECT_FALSE(print.HasOtherHue());
}

}  // namespace
}  // namespace glint::photometric
