// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/through_folds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/glossy_views.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr Size kFoldSheet{420, 360};
constexpr double kFoldGrey = 2.5;  // grey values by which a fold answers
constexpr std::size_t kFoldPieces = 5;

std::vector<FoundLine> FindFolds(const GlossyViews& views, const ThroughFoldParams& params = {},
                                 int threads = 2, const std::vector<FoundLine>& lost_ink = {}) {
  ThreadPool pool(threads);
  const ResidualViews residuals = views.Views();
  const LineResponseParams response_params;
  const LineResponse response(residuals, response_params, pool);
  return FindThroughFolds(response, views.albedo, lost_ink, params, pool);
}

TEST(ThroughFolds, AreFoundThoughTheyAreFaint) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {419, 158}, kFoldGrey);
  const auto folds = FindFolds(views);
  ASSERT_EQ(folds.size(), kFoldPieces);
  EXPECT_GE(folds[0].score, folds[0].needed);
  EXPECT_FALSE(folds[0].continues);
  EXPECT_TRUE(folds[1].continues);
  for (const FoundLine& piece : folds) {
    for (const int t : {piece.line.begin, piece.line.end}) {
      const cv::Point at = piece.line.At(t);
      EXPECT_NEAR(at.y, 150 + 8 * at.x / 419.0, 3) << "at " << at.x;
    }
  }
  EXPECT_EQ(folds.front().line.At(0).x, 0) << "from side to side";
  EXPECT_EQ(folds.back().line.At(folds.back().line.end).x, 419);
}

TEST(ThroughFolds, RunUpAndDownToo) {
  GlossyViews views({360, 420});
  views.Scratch({200, 0}, {192, 419}, 2 * kFoldGrey);
  const auto folds = FindFolds(views);
  ASSERT_EQ(folds.size(), kFoldPieces);
  EXPECT_NEAR(folds[2].line.At(0).x, 196, 4);
}

TEST(ThroughFolds, MayBendALittle) {
  for (const int bend : {4, 60}) {
    GlossyViews views(kFoldSheet);
    views.Scratch({0, 150}, {210, 150 + bend}, kFoldGrey);
    views.Scratch({210, 150 + bend}, {419, 150}, kFoldGrey);
    EXPECT_EQ(FindFolds(views).size(), bend == 4 ? kFoldPieces : 0U) << bend;
  }
}

TEST(ThroughFolds, AreNotMottle) { EXPECT_TRUE(FindFolds(GlossyViews(kFoldSheet)).empty()); }

TEST(ThroughFolds, GoThroughTheWholeObject) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {160, 150}, 8 * kFoldGrey);
  EXPECT_TRUE(FindFolds(views).empty());
}

TEST(ThroughFolds, AreNotHiddenByAScratchThatCrossesThem) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {419, 150}, kFoldGrey);
  views.Scratch({40, 135}, {380, 165}, 8 * kFoldGrey);
  const auto folds = FindFolds(views);
  ASSERT_GE(folds.size(), kFoldPieces);
}

TEST(ThroughFolds, DoNotRunAlongASide) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 20}, {419, 20}, 2 * kFoldGrey);
  EXPECT_TRUE(FindFolds(views).empty());
  EXPECT_FALSE(FindFolds(views, {.side_px = 0}).empty());
}

TEST(ThroughFolds, AreNotTheBorderOfPrintNorBesideIt) {
  for (const cv::Rect print : {cv::Rect(0, 150, 420, 210), cv::Rect(0, 170, 420, 8)}) {
    GlossyViews views(kFoldSheet);
    views.Scratch({0, 150}, {419, 150}, kFoldGrey);
    ASSERT_FALSE(FindFolds(views).empty());
    AsMat(views.albedo)(print).setTo(60 * kGrey);
    ThroughFoldParams params;
    EXPECT_TRUE(FindFolds(views, params).empty()) << print;
    params.print = {.noise_grey = 255};
    EXPECT_FALSE(FindFolds(views, params).empty()) << "nothing is asked of the print";
  }
}

/// A sheet with a fold, and print right below it that leaves the margins bare.
GlossyViews FoldAbovePrint() {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {419, 150}, kFoldGrey);
  AsMat(views.albedo)(cv::Rect(40, 153, 340, 180)).setTo(60 * kGrey);
  return views;
}

/// Darkens one or both margins below the fold.
void ShadeBelow(GlossyViews& views, bool left, bool right, double grey = 8) {
  cv::Mat below = AsMat(views.albedo).rowRange(150, 360);
  if (left) below.colRange(0, 40) -= cv::Scalar(grey * kGrey);
  if (right) below.colRange(380, 420) -= cv::Scalar(grey * kGrey);
}

TEST(ThroughFolds, ShowWhereNoPrintIsToo) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {336, 150}, 2 * kFoldGrey);
  ASSERT_EQ(FindFolds(views).size(), kFoldPieces) << "but for one piece";
  AsMat(views.gradient)(cv::Rect(0, 100, 330, 100)).setTo(7 * 7 * kGradientUnit);
  ThroughFoldParams params{.plain = {.min_score = 2}};
  EXPECT_TRUE(FindFolds(views, params).empty()) << "that one alone is plain";
  params.plain.min_score = 0;
  EXPECT_EQ(FindFolds(views, params).size(), kFoldPieces);
}

TEST(ThroughFolds, MayRunAlongPrintWhereBothMarginsShowThem) {
  GlossyViews views = FoldAbovePrint();
  EXPECT_TRUE(FindFolds(views).empty()) << "no margin shows it";
  ShadeBelow(views, true, false);
  EXPECT_TRUE(FindFolds(views).empty()) << "one does";
  ShadeBelow(views, false, true);
  const auto folds = FindFolds(views);
  ASSERT_EQ(folds.size(), kFoldPieces);
  for (const FoundLine& piece : folds) EXPECT_NEAR(piece.line.At(0).y, 150, 4);
  EXPECT_TRUE(FindFolds(views, {.margins = {.min_step_grey = 12}}).empty());
}

TEST(ThroughFolds, AnswerToTheLightBetweenTheMarginsThatShowThem) {
  GlossyViews views(kFoldSheet);
  ShadeBelow(views, true, true);
  EXPECT_TRUE(FindFolds(views).empty()) << "a tint is printed so";
  EXPECT_FALSE(FindFolds(views, {.min_margin_score = 0.5}).empty());
}

TEST(ThroughFolds, NeedHardlyAnyLightWhereTheMarginsAndLostInkShowThem) {
  GlossyViews views(kFoldSheet);
  ShadeBelow(views, true, true);
  const std::vector<FoundLine> row = {{.line = {.x = 150, .y = 150, .begin = 0, .end = 90}}};
  const auto folds = FindFolds(views, {}, 2, row);
  ASSERT_EQ(folds.size(), kFoldPieces);
  for (const FoundLine& piece : folds) EXPECT_NEAR(piece.line.At(0).y, 150, 5);
  const std::vector<FoundLine> away = {{.line = {.x = 150, .y = 190, .begin = 0, .end = 90}}};
  EXPECT_TRUE(FindFolds(views, {}, 2, away).empty()) << "not along that line";
  EXPECT_TRUE(FindFolds(GlossyViews(kFoldSheet), {}, 2, row).empty()) << "no margin shows it";
}

TEST(ThroughFolds, ShowAtBothMarginsPlainlyTakenTogether) {
  GlossyViews faint = FoldAbovePrint();
  ShadeBelow(faint, true, true, 2.3);
  EXPECT_TRUE(FindFolds(faint).empty());
  GlossyViews views = FoldAbovePrint();
  ShadeBelow(views, true, false, 2.3);
  ShadeBelow(views, false, true, 4);
  EXPECT_EQ(FindFolds(views).size(), kFoldPieces) << "the plainer one makes up for the other";
}

TEST(ThroughFolds, AreShadedAlikeAtBothMargins) {
  GlossyViews views = FoldAbovePrint();
  ShadeBelow(views, true, false);
  AsMat(views.albedo)(cv::Rect(380, 0, 40, 150)) -= cv::Scalar(8 * kGrey);
  EXPECT_TRUE(FindFolds(views).empty());
}

TEST(ThroughFolds, CrossPrint) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {419, 150}, kFoldGrey);
  for (int x = 10; x < 420; x += 30) {
    AsMat(views.albedo)(cv::Rect(x, 0, 15, 360)).setTo(60 * kGrey);
  }
  EXPECT_FALSE(FindFolds(views).empty());
}

TEST(ThroughFolds, AreNotLookedForInSmallObjects) {
  GlossyViews views({240, 360});
  views.Scratch({0, 150}, {239, 150}, 2 * kFoldGrey);
  EXPECT_TRUE(FindFolds(views).empty());
  EXPECT_FALSE(FindFolds(views, {.min_pieces = 2}).empty());
}

TEST(ThroughFolds, NeedLessWhereEveryPieceShowsThem) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {419, 150}, kFoldGrey);
  const double score = FindFolds(views).at(0).score;
  ThroughFoldParams params{.min_score = score + 0.1, .min_even_score = score - 0.1};
  EXPECT_EQ(FindFolds(views, params).size(), kFoldPieces);
  params.min_shown_score = 100;  // none does
  params.min_shown_share = 0;
  EXPECT_TRUE(FindFolds(views, params).empty());
}

/// A row of dashes along x.
FoundLine DashRow(double x, double y, int length) {
  return {.line = {.x = x, .y = y, .cosine = 1, .sine = 0, .begin = 0, .end = length - 1}};
}

TEST(ThroughFolds, NeedLessWhereTheyBrokeTheInk) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {419, 150}, kFoldGrey);
  const double score = FindFolds(views).at(0).score;
  const ThroughFoldParams params{
      .min_score = score + 0.1, .min_even_score = score + 0.1, .bare = {.min_score = score - 0.1}};
  EXPECT_TRUE(FindFolds(views, params).empty());
  EXPECT_TRUE(FindFolds(views, params, 2, {DashRow(100, 150, 40)}).empty()) << "a short row";
  EXPECT_TRUE(FindFolds(views, params, 2, {DashRow(100, 190, 80)}).empty()) << "beside it";
  const auto folds = FindFolds(views, params, 2, {DashRow(100, 150, 80)});
  ASSERT_EQ(folds.size(), kFoldPieces);
  EXPECT_EQ(folds[0].needed, params.bare.min_score);
}

TEST(ThroughFolds, NeedFewerPiecesWhereTheyBrokeTheInk) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {419, 150}, kFoldGrey);
  ThroughFoldParams params{.min_shown_score = 100, .bare = {.min_shown_share = 0}};  // none does
  EXPECT_TRUE(FindFolds(views, params).empty());
  EXPECT_EQ(FindFolds(views, params, 2, {DashRow(100, 150, 80)}).size(), kFoldPieces);
  params.bare.min_shown_share = 0.2;
  EXPECT_TRUE(FindFolds(views, params, 2, {DashRow(100, 150, 80)}).empty());
}

TEST(ThroughFolds, AreDrawnToTheInkThatTheyBroke) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {419, 150}, kFoldGrey);
  const auto folds = FindFolds(views, {}, 2, {DashRow(0, 154, 420)});
  ASSERT_EQ(folds.size(), kFoldPieces);
  for (const FoundLine& piece : folds) EXPECT_NEAR(piece.line.At(40).y, 153, 1.5);
}

TEST(ThroughFolds, AreTheSameOnAnyNumberOfThreads) {
  GlossyViews views(kFoldSheet);
  views.Scratch({0, 150}, {419, 158}, kFoldGrey);
  const auto one = FindFolds(views, {}, 1), five = FindFolds(views, {}, 5);
  ASSERT_EQ(one.size(), five.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].score, five[i].score);
    EXPECT_EQ(one[i].line.At(0), five[i].line.At(0));
  }
}

}  // namespace
}  // namespace glint::photometric
