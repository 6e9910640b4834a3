// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/torn_paper.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <vector>

namespace glint::photometric {
namespace {

constexpr double kScale = 0.6;
const cv::Size kSize(400, 500);
const cv::Scalar kPrint(70, 80, 150), kWhite(240, 236, 228), kShadow(40, 32, 28);
constexpr int kMouthAt = 300, kDeep = 60, kHalfMouth = 6;

cv::Mat Print(const cv::Scalar& ink) { return {kSize, CV_8UC3, ink}; }

std::vector<cv::Point> Wedge(int half_mouth, int half_tip) {
  const int right = kSize.width - 1, tip_at = kMouthAt - 12;
  return {{right, kMouthAt - half_mouth},
          {right, kMouthAt + half_mouth},
          {right - kDeep, tip_at + half_tip},
          {right - kDeep, tip_at - half_tip}};
}

void Fill(cv::Mat& picture, const std::vector<cv::Point>& polygon, const cv::Scalar& value) {
  cv::fillPoly(picture, std::vector{polygon}, value);
}

/// Print that is torn from its right side, with white edges of torn paper.
cv::Mat TornPrint(const cv::Scalar& ink, const cv::Scalar& gap) {
  cv::Mat picture = Print(ink);
  Fill(picture, Wedge(kHalfMouth + 5, 5), kWhite);
  Fill(picture, Wedge(kHalfMouth, 0), gap);
  cv::GaussianBlur(picture, picture, {}, 0.7);
  return picture;
}

int Found(const cv::Mat& picture) { return cv::countNonZero(FindTornPaper(picture, kScale, {})); }

void ExpectTheWedge(const cv::Mat& found) {
  cv::Mat wedge(kSize, CV_8U, cv::Scalar(0));
  Fill(wedge, Wedge(kHalfMouth, 0), cv::Scalar(255));
  const int both = cv::countNonZero(found & wedge);
  EXPECT_GE(both, 0.8 * cv::countNonZero(wedge));
  EXPECT_GE(both, 0.7 * cv::countNonZero(found));
}

TEST(TornPaper, ShowsATearWhateverIsPrinted) {
  ExpectTheWedge(FindTornPaper(TornPrint(kPrint, kShadow), kScale, {}));
  ExpectTheWedge(FindTornPaper(TornPrint(kWhite, kShadow), kScale, {}));
}

TEST(TornPaper, ShowsATearOfAnySide) {
  cv::Mat picture = TornPrint(kPrint, kShadow);
  const int all = Found(picture);
  for (int turn = 0; turn < 3; ++turn) {
    cv::rotate(picture, picture, cv::ROTATE_90_CLOCKWISE);
    EXPECT_NEAR(Found(picture), all, 0.1 * all) << turn;
  }
}

TEST(TornPaper, ShowsATearInsideOfAnOutlineThatIsAFewPixelsOff) {
  cv::Mat picture = TornPrint(kPrint, kShadow);
  picture(cv::Rect(kSize.width - 4, 0, 4, kSize.height)) = kShadow;
  EXPECT_GT(Found(picture), 200);
}

TEST(TornPaper, IsNotSeenWhereNoPaperIs) {
  cv::Mat picture = Print(kPrint);
  picture(cv::Rect(20, 20, 40, 40)) = kWhite;  // tells what paper is
  Fill(picture, Wedge(kHalfMouth, 0), kShadow);
  EXPECT_EQ(Found(picture), 0);
}

TEST(TornPaper, ClosesInwards) {
  cv::Mat line = Print(kWhite);  // as wide as it is, for as far as it goes
  Fill(line, Wedge(kHalfMouth, kHalfMouth), kShadow);
  EXPECT_EQ(Found(line), 0);
  cv::Mat rule = Print(kWhite);
  rule(cv::Rect(0, kMouthAt, kSize.width, 4)) = kShadow;
  EXPECT_EQ(Found(rule), 0);
  cv::Mat wider = Print(kWhite);
  Fill(wider, Wedge(2, kHalfMouth), kShadow);
  EXPECT_EQ(Found(wider), 0);
}

TEST(TornPaper, IsDarkBetweenItsEdges) {
  EXPECT_EQ(Found(TornPrint(kPrint, cv::Scalar(190, 190, 200))), 0);
}

TEST(TornPaper, IsNoPrintInsideOfTheObject) {
  cv::Mat picture = Print(kWhite);
  std::vector<cv::Point> wedge = Wedge(kHalfMouth, 0);
  for (cv::Point& p : wedge) p.x -= 30;
  Fill(picture, wedge, kShadow);
  EXPECT_EQ(Found(picture), 0);
}

TEST(TornPaper, IsLookedForOnAnyPicture) {
  EXPECT_EQ(cv::countNonZero(FindTornPaper(cv::Mat(16, 16, CV_8UC3, kShadow), 0.02, {})), 0);
  EXPECT_EQ(Found(Print(kWhite)), 0);
}

}  // namespace
}  // namespace glint::photometric
