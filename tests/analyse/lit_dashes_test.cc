// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lost_ink/lit_dashes.h"

#include <gtest/gtest.h>

#include <vector>

#include "analyse/glossy_views.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr Size kLitSheet{320, 240};
constexpr double kLitGrey = 3;  // grey values by which the line answers

/// A dash along y = 120.
PaperDash LevelDash(double x = 160, double length = 18) {
  return {.x = x, .y = 120, .cosine = 1, .sine = 0, .length = length, .contrast = 90};
}

std::vector<FoundLine> FindLit(const GlossyViews& views, const std::vector<PaperDash>& dashes,
                               const LitDashParams& params = {}, int threads = 2,
                               int known_row = 0) {
  ThreadPool pool(threads);
  const ResidualViews residuals = views.Views();
  const LineResponseParams response_params;
  const LineResponse response(residuals, response_params, pool);
  Lines known{.ids = Filled(kLitSheet, PixelType::kS32, 0), .mask = {}, .paths = {}};
  if (known_row > 0) AsMat(known.ids).row(known_row).setTo(1);
  return FindLitDashes(dashes, known, response, views.albedo, params, pool);
}

TEST(LitDashes, LieOnALineThatTheLightShows) {
  GlossyViews views(kLitSheet);
  views.Scratch({60, 120}, {260, 120}, kLitGrey);
  const auto found = FindLit(views, {LevelDash()});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].bare);
  EXPECT_GE(found[0].score, found[0].needed);
  EXPECT_LE(found[0].line.At(found[0].line.begin).x, 111);
  EXPECT_GE(found[0].line.At(found[0].line.end).x, 209);
}

TEST(LitDashes, AreNotStrokesInMottle) {
  EXPECT_TRUE(FindLit(GlossyViews(kLitSheet), {LevelDash()}).empty());
}

TEST(LitDashes, RunAsTheLineDoes) {
  GlossyViews views(kLitSheet);
  views.Scratch({60, 120}, {260, 120}, kLitGrey);
  PaperDash across = LevelDash();
  across.cosine = 0;
  across.sine = 1;
  EXPECT_TRUE(FindLit(views, {across}).empty());
}

TEST(LitDashes, GoOnWhereTheLightShowsMoreOfThem) {
  GlossyViews views(kLitSheet);
  views.Scratch({151, 120}, {300, 120}, 3 * kLitGrey);
  const auto found = FindLit(views, {LevelDash()});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line.At(found[0].line.begin).x, 151) << "nothing is shown before it";
  EXPECT_GE(found[0].line.At(found[0].line.end).x, 209);
}

TEST(LitDashes, AreNotPartOfAKnownLine) {
  GlossyViews views(kLitSheet);
  views.Scratch({60, 120}, {260, 120}, kLitGrey);
  EXPECT_TRUE(FindLit(views, {LevelDash()}, {}, 2, 124).empty());
  EXPECT_FALSE(FindLit(views, {LevelDash()}, {}, 2, 140).empty());
}

TEST(LitDashes, EndBeforeTheRim) {
  GlossyViews views(kLitSheet);
  views.Scratch({0, 120}, {140, 120}, 2 * kLitGrey);
  const auto found = FindLit(views, {LevelDash(18)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].line.At(found[0].line.begin).x, LineProbeParams{}.rim_px);
}

TEST(LitDashes, AreLongOrPlain) {
  GlossyViews views(kLitSheet);
  views.Scratch({60, 120}, {260, 120}, kLitGrey);
  EXPECT_TRUE(FindLit(views, {LevelDash(160, 10)}).empty()) << "it has no direction";
  PaperDash faint = LevelDash();
  faint.contrast = 40;
  EXPECT_TRUE(FindLit(views, {faint}).empty());
  faint.length = 30;
  EXPECT_FALSE(FindLit(views, {faint}).empty());
}

TEST(LitDashes, AreNotPartOfABorderOfPrint) {
  GlossyViews views(kLitSheet);
  views.Scratch({60, 120}, {260, 120}, kLitGrey);
  AsMat(views.albedo)(cv::Rect(0, 120, 320, 120)).setTo(60 * kGrey);
  EXPECT_TRUE(FindLit(views, {LevelDash()}).empty());
}

TEST(LitDashes, OfOneLineCountOnce) {
  GlossyViews views(kLitSheet);
  views.Scratch({60, 120}, {260, 120}, 2 * kLitGrey);
  EXPECT_EQ(FindLit(views, {LevelDash(150), LevelDash(175)}).size(), 1U);
}

TEST(LitDashes, MayBeAsManyAsTheyMay) {
  GlossyViews views(kLitSheet);
  views.Scratch({60, 120}, {260, 120}, 2 * kLitGrey);
  const std::vector<PaperDash> dashes = {LevelDash(160, 14),
                                         {.x = 160, .y = 40, .length = 20, .contrast = 90}};
  EXPECT_EQ(FindLit(views, dashes).size(), 1U);
  EXPECT_TRUE(FindLit(views, dashes, {.max_dashes = 1}).empty()) << "the longer one is tried";
}

TEST(LitDashes, AreTheSameOnAnyNumberOfThreads) {
  GlossyViews views(kLitSheet);
  views.Scratch({60, 120}, {260, 120}, 2 * kLitGrey);
  views.Scratch({40, 60}, {280, 60}, 2 * kLitGrey);
  const std::vector<PaperDash> dashes = {LevelDash(),
                                         {.x = 160, .y = 60, .length = 20, .contrast = 90}};
  const auto one = FindLit(views, dashes, {}, 1), four = FindLit(views, dashes, {}, 4);
  ASSERT_EQ(one.size(), 2U);
  ASSERT_EQ(four.size(), 2U);
  EXPECT_GE(one[0].score, one[1].score);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].score, four[i].score);
    EXPECT_EQ(one[i].line.At(0), four[i].line.At(0));
  }
}

/// A row of dashes along y = 120.
constexpr StraightLine kLevelRow{.x = 120, .y = 120, .cosine = 1, .sine = 0, .begin = 0, .end = 80};

bool IsRowLit(const GlossyViews& views, const StraightLine& row = kLevelRow,
              const LitRowParams& params = {}) {
  ThreadPool pool(2);
  const ResidualViews residuals = views.Views();
  const LineResponseParams response_params;
  const LineResponse response(residuals, response_params, pool);
  return IsLit(row, response, views.albedo, params);
}

TEST(LitRows, AreThoseThatTheLightShows) {
  GlossyViews views(kLitSheet);
  EXPECT_FALSE(IsRowLit(views)) << "lights on a printed blade";
  views.Scratch({100, 120}, {220, 120}, kLitGrey);
  EXPECT_TRUE(IsRowLit(views));
}

TEST(LitRows, AreAskedForMoreWherePrintRunsWithThem) {
  GlossyViews views(kLitSheet);
  views.Scratch({100, 120}, {220, 120}, kLitGrey);
  AsMat(views.albedo)(cv::Rect(0, 120, 320, 120)).setTo(60 * kGrey);
  EXPECT_TRUE(IsRowLit(views));
  EXPECT_FALSE(IsRowLit(views, kLevelRow, {.print = {.print_cost = 9}}));
}

TEST(LitRows, MayComeToTheRim) {
  GlossyViews views(kLitSheet);
  views.Scratch({0, 120}, {120, 120}, kLitGrey);
  StraightLine row = kLevelRow;
  row.x = 4;
  EXPECT_TRUE(IsRowLit(views, row));
}

}  // namespace
}  // namespace glint::photometric
