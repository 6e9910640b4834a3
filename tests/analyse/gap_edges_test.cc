// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/gap_edges.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "analyse/photometric/outline/background.h"

namespace glint::photometric {
namespace {

const cv::Size kPrintSize(120, 160);
const cv::Rect kPiece(0, 60, 24, 30);  // open to the left rim

/// L, a and b of print of one colour, with another one in a part of it.
std::array<cv::Mat, 3> PrintWith(const cv::Rect& part, int lightness) {
  std::array<cv::Mat, 3> lab;
  for (cv::Mat& channel : lab) channel = cv::Mat(kPrintSize, CV_16U, cv::Scalar(128 * kColourUnit));
  lab[0].setTo(60 * kColourUnit);
  lab[0](part).setTo(lightness * kColourUnit);
  return lab;
}

cv::Mat GapMask() {
  cv::Mat gap(kPrintSize, CV_8U, cv::Scalar(0));
  gap(kPiece).setTo(255);
  return gap;
}

TEST(GapEdges, APieceThatIsGoneEndsAtAnEdge) {
  EXPECT_EQ(cv::countNonZero(GapsWithoutEdge(GapMask(), PrintWith(kPiece, 90), {})), 0);
}

TEST(GapEdges, PrintOfTheTablesColourEndsNowhere) {
  EXPECT_EQ(cv::countNonZero(GapsWithoutEdge(GapMask(), PrintWith(kPiece, 60), {})), kPiece.area());
  EXPECT_EQ(cv::countNonZero(GapsWithoutEdge(GapMask(), PrintWith(kPiece, 66), {})), kPiece.area())
      << "a shade is no edge";
}

TEST(GapEdges, HalfAnEdgeIsPrint) {
  const cv::Rect upper(0, 0, kPrintSize.width, 72);  // the gap lies on both colours
  EXPECT_EQ(cv::countNonZero(GapsWithoutEdge(GapMask(), PrintWith(upper, 90), {})), kPiece.area());
}

TEST(GapEdges, FourFifthsOfAnEdgeArePrint) {
  std::array<cv::Mat, 3> lab = PrintWith(kPiece, 90);
  lab[0](cv::Rect(10, 90, 14, 40)).setTo(90 * kColourUnit);  // it goes on below
  EXPECT_EQ(cv::countNonZero(GapsWithoutEdge(GapMask(), lab, {})), kPiece.area());
  lab = PrintWith(kPiece, 90);
  lab[0](cv::Rect(20, 90, 4, 40)).setTo(90 * kColourUnit);
  EXPECT_EQ(cv::countNonZero(GapsWithoutEdge(GapMask(), lab, {})), 0);
}

TEST(GapEdges, AsksNothingOfWhatIsTooSmallToTell) {
  cv::Mat gap(kPrintSize, CV_8U, cv::Scalar(0));
  gap(cv::Rect(0, 60, 2, 2)).setTo(255);
  EXPECT_EQ(cv::countNonZero(GapsWithoutEdge(gap, PrintWith({0, 0, 1, 1}, 60), {})), 0);
}

TEST(GapEdges, AsksEachGapByItself) {
  cv::Mat gaps = GapMask();
  gaps(cv::Rect(100, 20, 20, 30)).setTo(255);
  const cv::Mat without = GapsWithoutEdge(gaps, PrintWith(kPiece, 90), {});
  EXPECT_EQ(cv::countNonZero(without), 20 * 30);
  EXPECT_EQ(cv::countNonZero(without(kPiece)), 0);
}

}  // namespace
}  // namespace glint::photometric
