// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/corner_creases.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/glossy_views.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr Size kCreasedSheet{240, 320};
constexpr double kCreaseGrey = 8;  // grey values by which a crease answers

double NoDashes(const StraightLine& /*line*/) { return 0; }

std::vector<FoundLine> FindCreases(const GlossyViews& views, const CornerCreaseParams& params = {},
                                   int threads = 2, const DashesOnLine& dashes = NoDashes) {
  ThreadPool pool(threads);
  const ResidualViews residuals = views.Views();
  const LineResponseParams response_params;
  const LineResponse response(residuals, response_params, pool);
  return FindCornerCreases(response, views.albedo, dashes, params, pool);
}

void ExpectNear(cv::Point at, cv::Point expected) {
  EXPECT_NEAR(at.x, expected.x, 4);
  EXPECT_NEAR(at.y, expected.y, 4);
}

TEST(CornerCreases, AreFoundInMottleAsStrongAsThey) {
  GlossyViews views(kCreasedSheet);
  views.Scratch({0, 80}, {60, 0}, kCreaseGrey);
  const auto creases = FindCreases(views);
  ASSERT_EQ(creases.size(), 1U);
  EXPECT_GT(creases[0].score, creases[0].needed);
  ExpectNear(creases[0].line.At(creases[0].line.begin), {0, 80});
  ExpectNear(creases[0].line.At(creases[0].line.end), {60, 0});
}

TEST(CornerCreases, AreFoundAcrossEveryCorner) {
  GlossyViews views(kCreasedSheet);
  views.Scratch({239, 70}, {170, 0}, kCreaseGrey);
  views.Scratch({239, 240}, {180, 319}, kCreaseGrey);
  views.Scratch({0, 250}, {60, 319}, kCreaseGrey);
  const auto creases = FindCreases(views);
  ASSERT_EQ(creases.size(), 3U);
  for (const FoundLine& crease : creases) {
    const cv::Point from = crease.line.At(crease.line.begin), to = crease.line.At(crease.line.end);
    EXPECT_TRUE(from.x == 0 || from.x == 239) << "from one side";
    EXPECT_TRUE(to.y <= 1 || to.y >= 318) << "to the next";
  }
}

TEST(CornerCreases, LieInTheMidstOfTheirFlanks) {
  GlossyViews views(kCreasedSheet);
  views.Scratch({0, 72}, {54, 0}, kCreaseGrey);
  views.Scratch({0, 80}, {60, 0}, kCreaseGrey / 2);
  views.Scratch({0, 88}, {66, 0}, kCreaseGrey);
  const auto creases = FindCreases(views);
  ASSERT_EQ(creases.size(), 1U);
  ExpectNear(creases[0].line.At(creases[0].line.begin), {0, 80});
  ExpectNear(creases[0].line.At(creases[0].line.end), {60, 0});
}

TEST(CornerCreases, AreNotMottle) { EXPECT_TRUE(FindCreases(GlossyViews(kCreasedSheet)).empty()); }

TEST(CornerCreases, AnswerForMoreThanAShortWay) {
  GlossyViews views(kCreasedSheet);
  views.Scratch({24, 48}, {36, 32}, kCreaseGrey / 2);
  EXPECT_TRUE(FindCreases(views).empty());
}

TEST(CornerCreases, AreNotTheEvenEdgeOfPrint) {
  GlossyViews views(kCreasedSheet);
  views.Scratch({0, 80}, {60, 0}, kCreaseGrey / 2);
  ASSERT_EQ(FindCreases(views).size(), 1U);
  const std::vector<cv::Point> corner = {{0, 0}, {60, 0}, {0, 80}};
  cv::fillPoly(AsMat(views.albedo), std::vector{corner}, cv::Scalar(60 * kGrey));
  EXPECT_TRUE(FindCreases(views).empty()) << "darker on one side all along: a printed corner";
}

TEST(CornerCreases, NeedLessWhereTheyBrokeTheInk) {
  GlossyViews views(kCreasedSheet);
  views.Scratch({0, 80}, {60, 0}, kCreaseGrey);
  const auto plain = FindCreases(views);
  ASSERT_EQ(plain.size(), 1U);
  const double score = plain[0].score;
  CornerCreaseParams params{.min_score = score + 0.1, .min_dashed_score = score - 0.1};
  params.min_streak_score = params.min_score;
  const auto found = [&](double dashes) {
    return FindCreases(views, params, 2, [&](const StraightLine&) { return dashes; }).size();
  };
  EXPECT_EQ(found(params.min_dashes_px), 1U);
  EXPECT_EQ(found(params.min_dashes_px - 1), 0U);
  params.min_dashed_score = score + 0.2;
  params.min_many_dashed_score = score - 0.2;
  EXPECT_EQ(found(params.min_dashes_px), 0U);
  EXPECT_EQ(found(0.45 * params.min_dashes_px + 0.55 * params.many_dashes_px), 1U);
  EXPECT_EQ(found(0.55 * params.min_dashes_px + 0.45 * params.many_dashes_px), 0U);
  EXPECT_EQ(found(2 * params.many_dashes_px), 1U);
}

TEST(CornerCreases, AreNotWhereTheCornerIsMissing) {
  GlossyViews views(kCreasedSheet);
  views.Scratch({0, 80}, {60, 0}, kCreaseGrey);
  AsMat(views.surface)(cv::Rect(0, 40, 60, 60)).setTo(0);
  EXPECT_TRUE(FindCreases(views).empty());
}

TEST(CornerCreases, AreNotTheEdgeOfAGap) {
  GlossyViews views(kCreasedSheet);
  views.Scratch({0, 80}, {60, 0}, kCreaseGrey);
  const std::vector<cv::Point> corner = {{0, 0}, {50, 0}, {0, 66}};
  cv::fillPoly(AsMat(views.surface), std::vector{corner}, cv::Scalar(0));
  EXPECT_TRUE(FindCreases(views).empty());
}

TEST(CornerCreases, AreTheSameOnAnyNumberOfThreads) {
  GlossyViews views(kCreasedSheet);
  views.Scratch({0, 80}, {60, 0}, kCreaseGrey);
  const auto two = FindCreases(views, {}, 2), one = FindCreases(views, {}, 1);
  ASSERT_EQ(two.size(), one.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(two[i].score, one[i].score);
}

TEST(CornerCreases, AreNotLookedForOnWhatIsTooSmall) {
  GlossyViews views({40, 60});
  views.Scratch({0, 15}, {15, 0}, kCreaseGrey);
  EXPECT_TRUE(FindCreases(views).empty());
}

}  // namespace
}  // namespace glint::photometric
