// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/outline/torn_paper.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <vector>

namespace glint::photometric {
namespace {

constexpr double kScale = 0.6;
const cv::Size kTornSize(400, 500);
const cv::Scalar kTornPrint(70, 80, 150), kTornWhite(240, 236, 228), kTornShadow(40, 32, 28);
constexpr int kMouthAt = 300, kTornDeep = 60, kHalfMouth = 6;

cv::Mat SheetOfInk(const cv::Scalar& ink) { return {kTornSize, CV_8UC3, ink}; }

std::vector<cv::Point> Wedge(int half_mouth, int half_tip) {
  const int right = kTornSize.width - 1, tip_at = kMouthAt - 12;
  return {{right, kMouthAt - half_mouth},
          {right, kMouthAt + half_mouth},
          {right - kTornDeep, tip_at + half_tip},
          {right - kTornDeep, tip_at - half_tip}};
}

void FillPolygon(cv::Mat& picture, const std::vector<cv::Point>& polygon, const cv::Scalar& value) {
  cv::fillPoly(picture, std::vector{polygon}, value);
}

/// Print that is torn from its right side, with white edges of torn paper.
cv::Mat TornPrint(const cv::Scalar& ink, const cv::Scalar& gap) {
  cv::Mat picture = SheetOfInk(ink);
  FillPolygon(picture, Wedge(kHalfMouth + 5, 5), kTornWhite);
  FillPolygon(picture, Wedge(kHalfMouth, 0), gap);
  cv::GaussianBlur(picture, picture, {}, 0.7);
  return picture;
}

int FoundPixels(const cv::Mat& picture) {
  return cv::countNonZero(FindTornPaper(picture, kScale, {}));
}

void ExpectTheWedge(const cv::Mat& found) {
  cv::Mat wedge(kTornSize, CV_8U, cv::Scalar(0));
  FillPolygon(wedge, Wedge(kHalfMouth, 0), cv::Scalar(255));
  const int both = cv::countNonZero(found & wedge);
  EXPECT_GE(both, 0.8 * cv::countNonZero(wedge));
  EXPECT_GE(both, 0.7 * cv::countNonZero(found));
}

TEST(TornPaper, ShowsATearWhateverIsPrinted) {
  ExpectTheWedge(FindTornPaper(TornPrint(kTornPrint, kTornShadow), kScale, {}));
  ExpectTheWedge(FindTornPaper(TornPrint(kTornWhite, kTornShadow), kScale, {}));
}

TEST(TornPaper, ShowsATearOfAnySide) {
  cv::Mat picture = TornPrint(kTornPrint, kTornShadow);
  const int all = FoundPixels(picture);
  for (int turn = 0; turn < 3; ++turn) {
    cv::rotate(picture, picture, cv::ROTATE_90_CLOCKWISE);
    EXPECT_NEAR(FoundPixels(picture), all, 0.1 * all) << turn;
  }
}

TEST(TornPaper, ShowsATearInsideOfAnOutlineThatIsAFewPixelsOff) {
  cv::Mat picture = TornPrint(kTornPrint, kTornShadow);
  picture(cv::Rect(kTornSize.width - 4, 0, 4, kTornSize.height)) = kTornShadow;
  EXPECT_GT(FoundPixels(picture), 200);
}

TEST(TornPaper, IsNotSeenWhereNoPaperIs) {
  cv::Mat picture = SheetOfInk(kTornPrint);
  picture(cv::Rect(20, 20, 40, 40)) = kTornWhite;  // tells what paper is
  FillPolygon(picture, Wedge(kHalfMouth, 0), kTornShadow);
  EXPECT_EQ(FoundPixels(picture), 0);
}

TEST(TornPaper, ClosesInwards) {
  cv::Mat line = SheetOfInk(kTornWhite);  // as wide as it is, for as far as it goes
  FillPolygon(line, Wedge(kHalfMouth, kHalfMouth), kTornShadow);
  EXPECT_EQ(FoundPixels(line), 0);
  cv::Mat rule = SheetOfInk(kTornWhite);
  rule(cv::Rect(0, kMouthAt, kTornSize.width, 4)) = kTornShadow;
  EXPECT_EQ(FoundPixels(rule), 0);
  cv::Mat wider = SheetOfInk(kTornWhite);
  FillPolygon(wider, Wedge(2, kHalfMouth), kTornShadow);
  EXPECT_EQ(FoundPixels(wider), 0);
}

TEST(TornPaper, ClosesInwardsThoughItIsAFewPixelsWide) {
  constexpr int kFiner = 16;
  const auto narrow = [&](double mouth, double tip) {
    cv::Mat fine(8 * kFiner * 4, kTornSize.width, CV_8UC3, kTornWhite);
    for (int deep = 0; deep < kTornDeep; ++deep) {
      const double half = kFiner * (mouth + (tip - mouth) * deep / kTornDeep) / 2;
      const double middle = fine.rows / 2.0 - 0.2 * kFiner * deep;
      fine(cv::Range(cvRound(middle - half), cvRound(middle + half)),
           cv::Range(kTornSize.width - 1 - deep, kTornSize.width - deep)) = kTornShadow;
    }
    cv::Mat picture = SheetOfInk(kTornWhite);
    const cv::Mat part = picture.rowRange(kMouthAt - 16, kMouthAt + 16);
    cv::resize(fine, part, part.size(), 0, 0, cv::INTER_AREA);
    cv::GaussianBlur(picture, picture, {}, 0.7);
    return FoundPixels(picture);
  };
  EXPECT_GT(narrow(4.2, 1.8), 100) << "the whole pixels of its outer and inner thirds: 4 and 3";
  EXPECT_EQ(narrow(4.6, 3), 0) << "hardly narrower: printed";
}

TEST(TornPaper, IsDarkBetweenItsEdges) {
  EXPECT_EQ(FoundPixels(TornPrint(kTornPrint, cv::Scalar(190, 190, 200))), 0);
}

TEST(TornPaper, IsNoPrintInsideOfTheObject) {
  cv::Mat picture = SheetOfInk(kTornWhite);
  std::vector<cv::Point> wedge = Wedge(kHalfMouth, 0);
  for (cv::Point& p : wedge) p.x -= 30;
  FillPolygon(picture, wedge, kTornShadow);
  EXPECT_EQ(FoundPixels(picture), 0);
}

/// A panel of print with a margin of bare paper around it, which a slit without white edges
/// crosses.
cv::Mat SlitMargin(int margin, int half_mouth, int half_tip, const cv::Scalar& gap) {
  cv::Mat picture = SheetOfInk(kTornWhite);
  picture(cv::Rect(margin, margin, kTornSize.width - 2 * margin, kTornSize.height - 2 * margin)) =
      kTornPrint;
  picture(cv::Rect(40, 40, 40, 40)) = kTornWhite;  // tells what paper is
  FillPolygon(picture, Wedge(half_mouth, half_tip), gap);
  cv::GaussianBlur(picture, picture, {}, 0.7);
  return picture;
}

const cv::Scalar kDeepShadow(22, 18, 15);

TEST(TornPaper, NeedsNoWhiteEdgesBehindAMargin) {
  ExpectTheWedge(FindTornPaper(SlitMargin(12, kHalfMouth, 0, kDeepShadow), kScale, {}));
}

TEST(TornPaper, NeedsThemWherePrintReachesTheSide) {
  EXPECT_EQ(FoundPixels(SlitMargin(0, kHalfMouth, 0, kDeepShadow)), 0);
  EXPECT_EQ(FoundPixels(SlitMargin(2, kHalfMouth, 0, kDeepShadow)), 0) << "a sliver of paper";
}

TEST(TornPaper, IsADeepShadowBehindAMargin) {
  EXPECT_EQ(FoundPixels(SlitMargin(12, kHalfMouth, 0, cv::Scalar(60, 55, 50))), 0);
  EXPECT_EQ(FoundPixels(SlitMargin(12, kHalfMouth, kHalfMouth, kDeepShadow)), 0) << "a bar";
}

TEST(TornPaper, BehindAMarginHasItOnBothSides) {
  cv::Mat picture = SlitMargin(12, kHalfMouth, 0, kDeepShadow);
  picture.colRange(kTornSize.width - 12, kTornSize.width).rowRange(0, kMouthAt - kHalfMouth - 1) =
      kTornPrint;
  EXPECT_EQ(FoundPixels(picture), 0);
}

TEST(TornPaper, IsLookedForOnAnyPicture) {
  EXPECT_EQ(cv::countNonZero(FindTornPaper(cv::Mat(16, 16, CV_8UC3, kTornShadow), 0.02, {})), 0);
  EXPECT_EQ(FoundPixels(SheetOfInk(kTornWhite)), 0);
}

}  // namespace
}  // namespace glint::photometric
