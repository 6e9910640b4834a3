// SPDX-License-Identifier: Apache-2.0
// Parts of the `photometric` detector that the whole does not show by itself, on small input whose
// outcome can be told by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/lines/folds.h"
#include "analyse/photometric/lines/line_visibility.h"
#include "analyse/photometric/outline/tears.h"
#include "analyse/photometric/params.h"
#include "analyse/photometric/scene/inpainting.h"
#include "analyse/photometric/scene/occluders.h"
#include "analyse/photometric_drawing.h"
#include "stages/shared/photometric_arithmetic.h"
#include "support/status_matchers.h"
#include "support/stored.h"

namespace glint::photometric {
namespace {

TEST(PhotometricParams, AreWithinTheirRangesAndRefuseWhatIsNot) {
  PhotometricParams params;
  EXPECT_THAT(CheckParams(params), IsOk());
  EXPECT_THAT(SetParam(params, "lines.paths.min_score=8.5"), IsOk());
  EXPECT_EQ(params.lines.paths.min_score, 8.5);
  params.outline.tears.max_depth_share = 2;
  EXPECT_THAT(CheckParams(params), FailsWith(Reason::kInvalidOption,
                                             testing::HasSubstr("outline.tears.max_depth_share")));
}

TEST(PrintedLinesAmong, AreThoseTooThinForATear) {
  cv::Mat gaps(100, 100, CV_8U, cv::Scalar(0));
  gaps(cv::Rect(20, 0, 1, 30)).setTo(255);  // 30 times as deep as wide
  gaps(cv::Rect(60, 0, 2, 30)).setTo(255);  // 15 times
  const cv::Mat printed = PrintedLinesAmong(gaps, {});
  EXPECT_EQ(cv::countNonZero(printed), 30);
  EXPECT_EQ(cv::countNonZero(printed(cv::Rect(20, 0, 1, 30))), 30);
  EXPECT_EQ(cv::countNonZero(PrintedLinesAmong(gaps, {.max_slenderness = 40})), 0);
}

TEST(PrintedLinesAmong, AreNoneThatRunFromSideToSide) {
  cv::Mat gaps(100, 100, CV_8U, cv::Scalar(0));
  gaps.col(50).setTo(255);  // opens at the top and at the bottom
  EXPECT_EQ(cv::countNonZero(PrintedLinesAmong(gaps, {})), 0);
}

TEST(ContinueTears, FollowsANarrowGapAndNoWideOne) {
  cv::Mat colour(120, 120, CV_8UC3, cv::Scalar(220, 220, 220));
  for (const int x : {30, 80}) colour(cv::Rect(x, 0, 2, 40)).setTo(cv::Scalar(40, 40, 40));
  cv::Mat gaps(120, 120, CV_8U, cv::Scalar(0));
  gaps(cv::Rect(30, 0, 2, 20)).setTo(255);   // narrow: goes on down to y = 39
  gaps(cv::Rect(70, 0, 22, 20)).setTo(255);  // wider than deep
  const cv::Mat more = ContinueTears(colour, gaps, 1, {});
  EXPECT_EQ(cv::countNonZero(more), 2 * 20);
  EXPECT_EQ(cv::countNonZero(more(cv::Rect(30, 20, 2, 20))), 2 * 20);
}

/// A gap of 20 px in the left side, where a dark line begins that is so long, with a branch across.
cv::Mat ContinueInto(int length) {
  cv::Mat colour(200, 200, CV_8UC3, cv::Scalar(220, 220, 220));
  const cv::Scalar dark(40, 40, 40);
  colour(cv::Rect(0, 100, length, 2)).setTo(dark);
  colour(cv::Rect(40, 102, 2, 40)).setTo(dark);
  cv::Mat gaps(200, 200, CV_8U, cv::Scalar(0));
  gaps(cv::Rect(0, 100, 20, 2)).setTo(255);
  return ContinueTears(colour, gaps, 1, {});
}

TEST(ContinueTears, GoesUpToThreeTimesTheGapAndStaysInItsDirection) {
  const cv::Mat more = ContinueInto(59);
  EXPECT_EQ(cv::countNonZero(more(cv::Rect(20, 100, 39, 2))), 2 * 39);
  EXPECT_EQ(cv::countNonZero(more(cv::Rect(60, 0, 140, 200))), 0);
  EXPECT_EQ(cv::countNonZero(more(cv::Rect(0, 105, 200, 95))), 0);  // 3 px beside the gap
}

TEST(ContinueTears, LeavesPrintThatItMeetsAndThatDriftsAside) {
  cv::Mat colour(200, 200, CV_8UC3, cv::Scalar(220, 220, 220));
  const cv::Scalar dark(40, 40, 40);
  colour(cv::Rect(0, 100, 40, 2)).setTo(dark);
  cv::line(colour, {39, 101}, {199, 141}, dark, 1);  // leaves the corridor at x = 53
  cv::Mat gaps(200, 200, CV_8U, cv::Scalar(0));
  gaps(cv::Rect(0, 100, 20, 2)).setTo(255);
  const cv::Mat more = ContinueTears(colour, gaps, 1, {});
  EXPECT_EQ(cv::countNonZero(more(cv::Rect(20, 100, 20, 2))), 2 * 20);
  EXPECT_GT(cv::countNonZero(more(cv::Rect(40, 98, 6, 8))), 0);
  EXPECT_EQ(cv::countNonZero(more(cv::Rect(50, 0, 150, 200))), 0);
}

TEST(ContinueTears, TakesALineThatRunsOnForPrint) {
  EXPECT_EQ(cv::countNonZero(ContinueInto(90)), 0);
}

/// Two parallel lines of 40 px, 8 px apart, and how five views show them.
struct TwoLines {
  Plane ids = Filled({80, 40}, PixelType::kS32, 0);
  Plane direction = Filled({80, 40}, PixelType::kU8, 0);
  std::vector<std::vector<LineVisibility>> views;

  /// @param second  how the second line shows, relative to the first
  explicit TwoLines(double second) {
    AsMat(ids)(cv::Rect(20, 10, 40, 1)).setTo(1);
    AsMat(ids)(cv::Rect(20, 18, 40, 1)).setTo(2);
    for (const double light : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
      views.push_back(
          {{.sum = 40 * light, .pixels = 40}, {.sum = 40 * second * light, .pixels = 40}});
    }
  }

  Plane Fill(const FoldParams& params = {}) const {
    const auto filled = FillFolds(ids, direction, views, params);
    EXPECT_THAT(filled, IsOk());
    return filled.value_or(Plane());
  }
};

TEST(FillFolds, FillsBetweenFlanksThatAnswerTheOtherWayRound) {
  const Plane filled = TwoLines(-1).Fill();
  EXPECT_EQ(cv::countNonZero(AsMat(filled)(cv::Rect(21, 11, 38, 7))), 38 * 7);
  EXPECT_EQ(cv::countNonZero(AsMat(filled)(cv::Rect(0, 0, 80, 8))), 0);
  EXPECT_EQ(cv::countNonZero(AsMat(filled)(cv::Rect(0, 21, 80, 19))), 0);
}

TEST(FillFolds, LeavesTwoScratchesAndLinesThatLieTooFarApart) {
  EXPECT_EQ(CountMarked(TwoLines(1).Fill()), 0);
  EXPECT_EQ(CountMarked(TwoLines(-1).Fill({.max_distance_px = 6})), 0);
}

TEST(FillFolds, LeavesLinesThatRunAnotherWayOrHardlyBesideEachOther) {
  TwoLines across(-1);
  AsMat(across.direction).row(18).setTo(8);  // a right angle
  EXPECT_EQ(CountMarked(across.Fill()), 0);
  TwoLines shifted(-1);
  AsMat(shifted.ids).row(18).setTo(0);
  AsMat(shifted.ids)(cv::Rect(40, 18, 40, 1)).setTo(2);  // half of it is beside the first
  EXPECT_EQ(CountMarked(shifted.Fill()), 0);
  EXPECT_GT(CountMarked(shifted.Fill({.beside_share = 0.4})), 0);
}

TEST(MeasureLineVisibility, AddsUpResidualsOfValidRidgePixelsInUnitsOfTheNoise) {
  const Size size{20, 16};
  ThreadPool pool(2);
  Lines lines{.ids = Filled(size, PixelType::kS32, 0), .mask = {}, .paths = {{}, {}}};
  AsMat(lines.ids)(cv::Rect(2, 3, 10, 1)).setTo(1);
  AsMat(lines.ids)(cv::Rect(2, 9, 6, 1)).setTo(2);
  const std::vector<Plane> residuals = {Filled(size, PixelType::kS16, 3 * kGrey),
                                        Filled(size, PixelType::kS16, -kGrey)};
  const std::vector<Plane> valid = {Filled(size, PixelType::kU8, 255),
                                    Filled(size, PixelType::kU8, 255)};
  AsMat(valid[1])(cv::Rect(0, 0, 6, 8)).setTo(0);  // hides four pixels of the first line
  Albedo artwork;
  artwork.gradient = Filled(size, PixelType::kS32, 0);
  artwork.curvature = Filled(size, PixelType::kS32, 0);
  AsMat(artwork.curvature).row(9).setTo(2 * kGrey);
  const NoiseModel noise{.base = 4, .gradient = 1, .curvature = 3};  // deviations of 2 and of 4
  const auto views = MeasureLineVisibility(Stored(residuals), valid, artwork, noise, lines, pool);
  ASSERT_EQ(views.size(), 2U);
  EXPECT_NEAR(views[0][0].sum, 10 * 3 / 2.0, 1e-5);
  EXPECT_EQ(views[0][0].pixels, 10);
  EXPECT_NEAR(views[0][1].sum, 6 * 3 / 4.0, 1e-5);
  EXPECT_NEAR(views[1][0].sum, -6 / 2.0, 1e-5);
  EXPECT_EQ(views[1][0].pixels, 6);
  EXPECT_NEAR(views[1][0].Mean(), -0.5, 1e-5);

  AsMat(lines.ids)(cv::Rect(12, 3, 7, 1)).setTo(1);
  lines.extensions = Filled(size, PixelType::kU8, 0);
  AsMat(lines.extensions)(cv::Rect(12, 3, 7, 1)).setTo(255);
  const auto extended =
      MeasureLineVisibility(Stored(residuals), valid, artwork, noise, lines, pool);
  EXPECT_EQ(extended[0][0].pixels, 10) << "what it was followed to says nothing of it";
  EXPECT_EQ(extended[0][0].sum, views[0][0].sum);
}

TEST(CountVisibleViews, CountsThoseAboveTheNoiseThatSeeEnoughOfTheLine) {
  std::vector<PhotometricLine> lines = {{.path = {.box = {}, .pixels = 10}}};
  const std::vector<std::vector<LineVisibility>> views = {
      {{.sum = 12, .pixels = 10}},   // 1.2 deviations
      {{.sum = -30, .pixels = 10}},  // darker, 3
      {{.sum = 9, .pixels = 10}},    // too weak
      {{.sum = 100, .pixels = 4}}};  // under half of it is seen
  CountVisibleViews(views, {}, lines);
  EXPECT_EQ(lines[0].shown, 2);
  EXPECT_EQ(lines[0].seen, 3);
  EXPECT_EQ(lines[0].best_view, 1);
}

TEST(CountVisibleViews, AsksLessOfLongLinesForTheirNoiseAveragesOut) {
  const auto is_shown = [](std::int64_t pixels, double mean) {
    std::vector<PhotometricLine> lines = {{.path = {.pixels = pixels}}};
    const LineVisibility line{.sum = mean * static_cast<double>(pixels), .pixels = pixels};
    CountVisibleViews(std::vector<std::vector<LineVisibility>>{{line}}, {}, lines);
    return lines[0].shown == 1;
  };
  EXPECT_FALSE(is_shown(200, 0.98));
  EXPECT_TRUE(is_shown(220, 0.98));
  EXPECT_TRUE(is_shown(800, -0.51));
  EXPECT_FALSE(is_shown(800, 0.49));
}

TEST(KeepVisibleLines, LeavesOutWhatNoViewShowsUnlessItIsBarePaper) {
  const std::vector<LineVisibility> view{
      {.sum = 2, .pixels = 100}, {.sum = 150, .pixels = 100}, {.sum = 2, .pixels = 100}};
  std::vector<std::vector<LineVisibility>> views(3, view);
  Lines lines{.ids = Filled({4, 1}, PixelType::kS32, 0),
              .mask = {},
              .paths = {{.pixels = 100}, {.pixels = 100}, {.pixels = 100}}};
  for (int x = 0; x < 3; ++x) lines.ids.Row<std::int32_t>(0)[x] = x + 1;
  lines.paths[2].bare = true;
  const auto found = KeepVisibleLines({}, lines, views);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].shown, 3);
  EXPECT_EQ(found[1].shown, 3) << "all that see it show it";
  EXPECT_EQ(lines.ids.Row<std::int32_t>(0)[0], 0);
  EXPECT_EQ(lines.ids.Row<std::int32_t>(0)[2], 2);
}

TEST(KeepVisibleLines, KeepsWhatHasFlanks) {
  std::vector<std::vector<LineVisibility>> views(2, {{.sum = 2, .pixels = 100}});
  Lines lines{.ids = Filled({4, 1}, PixelType::kS32, 1), .mask = {}, .paths = {{.pixels = 100}}};
  lines.paths[0].flanked = true;
  const auto found = KeepVisibleLines({}, lines, views);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].shown, 0) << "by its ridge";
}

TEST(InpaintOccluded, GivesEachViewThePrintUnderItsOwnLight) {
  const Size size{64, 64};
  ThreadPool pool(2);
  std::vector<Plane> greys, valid;
  OcclusionMasks occluded;
  for (int i = 0; i < 5; ++i) {
    greys.push_back(Filled(size, PixelType::kU8, 80 + 20 * i));
    valid.push_back(Filled(size, PixelType::kU8, 255));
    occluded.views.emplace_back();
  }
  AsMat(greys[4])(cv::Rect(24, 24, 16, 16)).setTo(7);  // a finger before a plain sheet of 160
  occluded.views[4] = cv::Mat(8, 8, CV_8U, cv::Scalar(0));
  occluded.views[4](cv::Rect(3, 3, 2, 2)).setTo(255);
  const auto filled = InpaintOccluded(greys, valid, occluded, {}, pool);
  EXPECT_EQ(cv::countNonZero(AsMat(filled[4]) != 160), 0);
  EXPECT_EQ(cv::countNonZero(AsMat(filled[0]) != 80), 0);
}

/// Five views of a grey print of 20 x 20 cells, each of 2 x 2 pixels of a thumbnail.
struct GreyPrint {
  std::vector<Plane> thumbnails, valid;
  ThreadPool pool{2};

  GreyPrint() {
    for (int i = 0; i < 5; ++i) {
      thumbnails.push_back(Filled({40, 40}, PixelType::kU8x3, 120));
      valid.push_back(Filled({160, 160}, PixelType::kU8, 255));
    }
  }
  /// @param cells  where one view shows another colour
  void Draw(std::size_t view, cv::Rect cells, const cv::Scalar& colour) {
    AsMat(thumbnails[view])(cv::Rect(2 * cells.x, 2 * cells.y, 2 * cells.width, 2 * cells.height))
        .setTo(colour);
  }
  OcclusionMasks Find(const OccluderParams& params = {}) {
    return FindOccluders(thumbnails, valid, params, pool);
  }
};

const cv::Scalar kStrongColour(180, 100, 80);  // chroma distance 101 from the grey print
const cv::Scalar kWeakColour(128, 120, 112);   // 14: between the two thresholds

TEST(FindOccluders, GrowsFromHighChromaDistanceOverLow) {
  GreyPrint print;
  print.Draw(2, {0, 8, 4, 3}, kStrongColour);
  print.Draw(2, {4, 8, 11, 3}, kWeakColour);  // beside it
  print.Draw(3, {0, 8, 15, 3}, kWeakColour);  // by itself
  const OcclusionMasks found = print.Find();
  ASSERT_EQ(found.views.size(), 5U);
  EXPECT_EQ(found.views[2].at<std::uint8_t>(9, 2), 255);
  EXPECT_EQ(found.views[2].at<std::uint8_t>(9, 14), 255);
  EXPECT_EQ(found.views[2].at<std::uint8_t>(9, 18), 0);  // a margin of two cells
  EXPECT_EQ(found.views[2].at<std::uint8_t>(4, 2), 0);
  EXPECT_TRUE(found.views[3].empty());
  EXPECT_TRUE(found.views[0].empty());

  const OcclusionMasks strict = print.Find({.low_distance_grey = 16});
  ASSERT_EQ(strict.views.size(), 5U);
  EXPECT_EQ(strict.views[2].at<std::uint8_t>(9, 2), 255);
  EXPECT_EQ(strict.views[2].at<std::uint8_t>(9, 14), 0);
  EXPECT_TRUE(print.Find({.high_distance_grey = 120}).views.empty());
}

TEST(FindOccluders, NeedsASeedOfFourCellsThatReachesInFromBeside) {
  GreyPrint print;
  print.Draw(1, {0, 8, 8, 1}, kStrongColour);   // one cell high: no block of 2 x 2
  print.Draw(2, {8, 8, 4, 4}, kStrongColour);   // in the middle
  print.Draw(3, {16, 8, 4, 4}, kStrongColour);  // from the right
  const OcclusionMasks found = print.Find();
  ASSERT_EQ(found.views.size(), 5U);
  EXPECT_TRUE(found.views[1].empty());
  EXPECT_TRUE(found.views[2].empty());
  EXPECT_FALSE(found.views[3].empty());
}

TEST(FindOccluders, SaysWhereTooManyViewsAreOccluded) {
  GreyPrint print;
  print.Draw(2, {0, 8, 8, 4}, kStrongColour);
  EXPECT_TRUE(print.Find().persistent.empty());  // 20 % of the views
  print.Draw(3, {0, 8, 4, 4}, kStrongColour);
  const OcclusionMasks found = print.Find();
  ASSERT_FALSE(found.persistent.empty());
  EXPECT_EQ(found.persistent.at<std::uint8_t>(9, 2), 255);  // 40 %
  EXPECT_EQ(found.persistent.at<std::uint8_t>(9, 8), 0);
}

}  // namespace
}  // namespace glint::photometric
