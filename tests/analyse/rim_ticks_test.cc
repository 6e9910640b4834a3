// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/rim_ticks.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/glossy_views.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr Size kTickSheet{200, 320};
constexpr double kTickGrey = 8;  // grey values by which a tick answers

std::vector<FoundLine> FindTicks(const GlossyViews& views, const RimTickParams& params = {},
                                 int threads = 2, const LineResponseParams& response_params = {}) {
  ThreadPool pool(threads);
  const ResidualViews residuals = views.Views();
  const LineResponse response(residuals, response_params, pool);
  return FindRimTicks(response, views.albedo, params, pool);
}

TEST(RimTicks, AreFoundInMottleAsStrongAsThey) {
  GlossyViews views(kTickSheet);
  views.Scratch({0, 100}, {28, 103}, kTickGrey);
  const auto ticks = FindTicks(views);
  ASSERT_EQ(ticks.size(), 1U);
  EXPECT_GT(ticks[0].score, ticks[0].needed);
  EXPECT_NEAR(ticks[0].line.At(0).y, 100, 4);
  EXPECT_NEAR(ticks[0].line.At(ticks[0].line.begin).x, 0, 1) << "it starts at the rim";
  EXPECT_GE(ticks[0].line.At(ticks[0].line.end).x, 18);
}

TEST(RimTicks, AreFoundOnEverySide) {
  GlossyViews views(kTickSheet);
  views.Scratch({199, 200}, {170, 197}, kTickGrey);
  views.Scratch({60, 0}, {62, 28}, 3 * kTickGrey);
  views.Scratch({120, 319}, {117, 290}, 3 * kTickGrey);
  EXPECT_EQ(FindTicks(views).size(), 3U);
}

TEST(RimTicks, AreNotMottle) { EXPECT_TRUE(FindTicks(GlossyViews(kTickSheet)).empty()); }

TEST(RimTicks, AreNotWhatStandsOutOfACalmMarginAlone) {
  constexpr double kCalm = 0.02;  // of the mottle and noise elsewhere: a margin without print
  GlossyViews views(kTickSheet);
  views.Scratch({0, 100}, {28, 103}, kTickGrey);
  for (const Plane& residual : views.residuals) {
    cv::Mat margin = AsMat(residual)(cv::Rect(0, 0, 60, kTickSheet.height));
    margin.convertTo(margin, CV_16S, kCalm);
  }
  LineResponseParams beside_alone;
  beside_alone.min_beside_variance = 0;
  EXPECT_EQ(FindTicks(views, {}, 2, beside_alone).size(), 1U);
  EXPECT_TRUE(FindTicks(views).empty()) << "less than the noise of the view";
}

TEST(RimTicks, DoNotStartInside) {
  GlossyViews views(kTickSheet);
  views.Scratch({90, 100}, {120, 103}, kTickGrey);
  EXPECT_TRUE(FindTicks(views).empty());
}

TEST(RimTicks, ShowBeforeTheirLastThird) {
  GlossyViews views(kTickSheet);
  views.Scratch({29, 100}, {60, 100}, 8 * kTickGrey);
  const RimTickParams by_mean{.max_length_share = 0.2, .min_start_score = 0};
  const RimTickParams by_start{.max_length_share = 0.2};
  EXPECT_FALSE(FindTicks(views, by_mean).empty());
  EXPECT_TRUE(FindTicks(views, by_start).empty()) << "a contour that begins farther in";
  AsMat(views.albedo)(cv::Rect(0, 98, 50, 5)).setTo(200 * kGrey);
  EXPECT_FALSE(FindTicks(views, by_start).empty()) << "the paper that shows begins at the rim";
}

TEST(RimTicks, BeginPlainly) {
  GlossyViews views(kTickSheet);
  views.Scratch({0, 100}, {60, 100}, 0.4 * kTickGrey);
  views.Scratch({29, 100}, {60, 100}, 3 * kTickGrey);
  const RimTickParams faintly{.max_length_share = 0.2, .min_start_score = 1.9};
  EXPECT_FALSE(FindTicks(views, faintly).empty());
  EXPECT_TRUE(FindTicks(views, {.max_length_share = 0.2}).empty());
}

TEST(RimTicks, AreShortAgainstTheObject) {
  GlossyViews views({140, 320});
  views.Scratch({0, 100}, {28, 103}, kTickGrey);
  EXPECT_TRUE(FindTicks(views).empty());
  EXPECT_EQ(FindTicks(views, {.max_length_share = 0.2}).size(), 1U);
}

TEST(RimTicks, DoNotRunAlongTheRimNorLieInCorners) {
  GlossyViews views(kTickSheet);
  views.Scratch({3, 60}, {3, 120}, kTickGrey);
  views.Scratch({0, 6}, {28, 8}, kTickGrey);
  EXPECT_TRUE(FindTicks(views).empty());
}

TEST(RimTicks, AreNotTheEvenEdgeOfPrint) {
  GlossyViews views(kTickSheet);
  views.Scratch({0, 100}, {28, 100}, kTickGrey);
  ASSERT_EQ(FindTicks(views).size(), 1U);
  AsMat(views.albedo)(cv::Rect(0, 100, 200, 220)).setTo(60 * kGrey);
  EXPECT_TRUE(FindTicks(views).empty()) << "darker on one side all along: a contour that is off";
}

TEST(RimTicks, AreFoundWhereAContourComesNear) {
  for (const bool near : {true, false}) {
    GlossyViews views(kTickSheet);
    views.Scratch({0, 100}, {28, 100}, kTickGrey);
    const int end = near ? 76 : 96;  // of a contour; or it runs along the tick
    cv::line(AsMat(views.albedo), {0, 96}, {40, end}, cv::Scalar(40 * kGrey), 3);
    EXPECT_EQ(FindTicks(views).size(), near ? 1U : 0U);
  }
}

TEST(RimTicks, AreAskedForMoreBesideAContour) {
  const auto needed = [](int contour_end, const RimTickParams& params) {
    GlossyViews views(kTickSheet);
    views.Scratch({0, 100}, {28, 100}, kTickGrey);
    cv::line(AsMat(views.albedo), {0, 104}, {60, contour_end}, cv::Scalar(40 * kGrey), 3);
    const auto ticks = FindTicks(views, params);
    return ticks.size() == 1 ? ticks[0].needed : 0;
  };
  const RimTickParams params, free{.near_cost = 0, .near_contrast_cost = 0};
  EXPECT_GE(needed(114, params), params.min_score * (1 + params.near_cost)) << "10 degrees off";
  EXPECT_LT(needed(114, free), params.min_score * (1 + params.near_cost));
  EXPECT_DOUBLE_EQ(needed(154, params), needed(154, free)) << "40 degrees off";
}

TEST(RimTicks, AreAskedForMoreTheStrongerAContourIs) {
  const auto needed = [](int contour_grey) {
    GlossyViews views(kTickSheet);
    views.Scratch({0, 100}, {28, 100}, 2 * kTickGrey);
    AsMat(views.albedo)(cv::Rect(0, 104, 60, 200)).setTo(contour_grey * kGrey);
    const auto ticks = FindTicks(views);
    return ticks.size() == 1 ? ticks[0].needed : 0;
  };
  const RimTickParams params;
  EXPECT_DOUBLE_EQ(needed(148), params.min_score * (1 + params.near_cost)) << "20 grey";
  EXPECT_NEAR(needed(28), params.min_score * (1 + params.near_contrast_cost), 0.01) << "100 grey";
}

TEST(RimTicks, AreAskedForMoreAtTheShorterSides) {
  const auto needed = [](cv::Point from, cv::Point to) {
    GlossyViews views(kTickSheet);
    views.Scratch(from, to, 2 * kTickGrey);
    const auto ticks = FindTicks(views);
    return ticks.size() == 1 ? ticks[0].needed : 0;
  };
  const RimTickParams params;
  EXPECT_DOUBLE_EQ(needed({0, 100}, {28, 100}), params.min_score);
  EXPECT_DOUBLE_EQ(needed({199, 100}, {171, 100}), params.min_score);
  for (const int y : {0, 319}) {
    EXPECT_DOUBLE_EQ(needed({100, y}, {100, y == 0 ? 28 : 291}),
                     params.min_score * (1 + params.short_side_cost));
  }
}

TEST(RimTicks, AreAskedForMoreTheMoreTheyTurn) {
  const auto needed = [](int end_y, const RimTickParams& params) {
    GlossyViews views(kTickSheet);
    views.Scratch({0, 100}, {28, end_y}, kTickGrey);
    const auto ticks = FindTicks(views, params);
    return ticks.size() == 1 ? ticks[0].needed : 0;
  };
  const RimTickParams params, free{.turn_cost = 0};
  EXPECT_NEAR(needed(100, params) / needed(100, free), 1, 0.01);
  EXPECT_NEAR(needed(111, params) / needed(111, free), 1.15, 0.06) << "20 degrees, or nearly";
}

TEST(RimTicks, AreNoPrintWherePaperShows) {
  GlossyViews views(kTickSheet);
  views.Scratch({0, 100}, {28, 100}, kTickGrey);
  RimTickParams params;
  const auto whole = FindTicks(views, params);
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_GE(whole[0].needed, params.min_score);
  AsMat(views.albedo)(cv::Rect(0, 98, 40, 5)).setTo(200 * kGrey);
  const auto paper = FindTicks(views, params);
  ASSERT_EQ(paper.size(), 1U);
  EXPECT_LE(paper[0].needed, params.min_streak_score);
}

TEST(RimTicks, NeedLessWherePaperAndLightShowThem) {
  GlossyViews views(kTickSheet);
  views.Scratch({0, 100}, {28, 100}, kTickGrey);
  AsMat(views.albedo)(cv::Rect(0, 98, 40, 5)).setTo(200 * kGrey);
  const RimTickParams params;
  const auto lit = FindTicks(views, params);
  ASSERT_EQ(lit.size(), 1U);
  EXPECT_EQ(lit[0].needed, params.min_lit_streak_score);
  const auto unlit = FindTicks(views, {.min_lit_start_score = 100});
  ASSERT_EQ(unlit.size(), 1U);
  EXPECT_EQ(unlit[0].needed, params.min_streak_score) << "its start shows nothing";
}

TEST(RimTicks, AreNotWhatCoversTheObject) {
  GlossyViews views(kTickSheet);
  views.Scratch({0, 100}, {28, 100}, kTickGrey);
  AsMat(views.surface)(cv::Rect(0, 90, 40, 40)).setTo(0);
  EXPECT_TRUE(FindTicks(views).empty());
}

TEST(RimTicks, AreAskedForMoreWhereAFingersShadowMayFall) {
  GlossyViews views(kTickSheet);
  views.Scratch({0, 100}, {28, 100}, kTickGrey);
  const auto whole = FindTicks(views);
  ASSERT_EQ(whole.size(), 1U);
  AsMat(views.surface)(cv::Rect(0, 120, 40, 60)).setTo(0);  // a finger
  const RimTickParams far{.shadow_share = 0.25}, near{.shadow_share = 0.5};
  const auto lit = FindTicks(views, far), shaded = FindTicks(views, near);
  ASSERT_EQ(lit.size(), 1U);
  ASSERT_EQ(shaded.size(), 1U);
  EXPECT_DOUBLE_EQ(lit[0].needed, whole[0].needed);
  EXPECT_DOUBLE_EQ(shaded[0].needed, whole[0].needed * (1 + near.shadow_cost));
  EXPECT_TRUE(FindTicks(views, {.shadow_share = 0.5, .shadow_cost = 10}).empty());
}

TEST(RimTicks, AreTheSameOnAnyNumberOfThreads) {
  GlossyViews views(kTickSheet);
  views.Scratch({0, 100}, {28, 103}, kTickGrey);
  const auto two = FindTicks(views, {}, 2), one = FindTicks(views, {}, 1);
  ASSERT_EQ(two.size(), one.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(two[i].score, one[i].score);
}

TEST(RimTicks, AreLookedForInFewViewsToo) {
  GlossyViews views(kTickSheet);
  views.residuals.resize(1);
  views.valid.resize(1);
  EXPECT_TRUE(FindTicks(views).empty());
}

}  // namespace
}  // namespace glint::photometric
