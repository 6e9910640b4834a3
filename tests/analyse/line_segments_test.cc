// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/line_segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/glossy_views.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr Size kSegmentSheet{420, 360};
constexpr double kSegmentGrey = 3.5;  // grey values by which a line answers

Lines NothingKnown() {
  return {.ids = Filled(kSegmentSheet, PixelType::kS32, 0), .mask = {}, .paths = {}};
}

/// As if no print ran square with the object: lines that do are the easiest to draw.
LineSegmentParams NotSquare(LineSegmentParams params = {}) {
  params.min_square_whole_score = 0;
  return params;
}

std::vector<FoundLine> FindSegments(const GlossyViews& views,
                                    const LineSegmentParams& params = NotSquare(),
                                    const Lines& known = NothingKnown(), int threads = 2) {
  ThreadPool pool(threads);
  const ResidualViews residuals = views.Views();
  const LineResponseParams response_params;
  const LineResponse response(residuals, response_params, pool);
  return FindLineSegments(response, views.albedo, known, params, pool);
}

/// How far a place is from the line through two others.
double DistanceFrom(cv::Point at, cv::Point from, cv::Point to) {
  const cv::Point2d along = to - from, here = at - from;
  return std::abs(along.cross(here)) / std::hypot(along.x, along.y);
}

struct Course {
  cv::Point from, to;
};

class LineSegmentsOf : public testing::TestWithParam<Course> {};

TEST_P(LineSegmentsOf, AnyDirectionAreFoundThoughTheyAreFaint) {
  const auto [from, to] = GetParam();
  GlossyViews views(kSegmentSheet);
  views.Scratch(from, to, kSegmentGrey);
  const auto found = FindSegments(views);
  ASSERT_FALSE(found.empty());
  const StraightLine& line = found[0].line;
  EXPECT_GE(found[0].score, found[0].needed);
  EXPECT_TRUE(found[0].flanked);
  EXPECT_GE(line.length(), 120);
  for (const int t : {line.begin, (line.begin + line.end) / 2, line.end}) {
    EXPECT_LE(DistanceFrom(line.At(t), from, to), 3) << line.At(t);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Directions, LineSegmentsOf,
    testing::Values(Course{{80, 180}, {340, 180}}, Course{{90, 210}, {330, 150}},
                    Course{{100, 120}, {300, 260}}, Course{{130, 60}, {280, 300}},
                    Course{{210, 60}, {210, 300}}, Course{{300, 70}, {150, 290}}));

TEST(LineSegments, AreNotMottle) { EXPECT_TRUE(FindSegments(GlossyViews(kSegmentSheet)).empty()); }

TEST(LineSegments, AreNotShortLines) {
  GlossyViews views(kSegmentSheet);
  views.Scratch({160, 180}, {190, 180}, 2 * kSegmentGrey);
  EXPECT_TRUE(FindSegments(views).empty());
}

TEST(LineSegments, MayBeShortIfTheyAnswerStrongly) {
  const Size narrow{119, 300};  // that three pieces do not fit into
  const Lines known{.ids = Filled(narrow, PixelType::kS32, 0), .mask = {}, .paths = {}};
  const auto find = [&](double grey, const LineSegmentParams& params = {}) {
    GlossyViews views(narrow);
    views.Scratch({14, 180}, {104, 180}, grey);
    return FindSegments(views, NotSquare(params), known);
  };
  const auto found = find(2 * kSegmentGrey);
  ASSERT_FALSE(found.empty());
  const int middle = found[0].line.length() / 2;
  EXPECT_NEAR(found[0].line.At(middle).y, 180, 3);
  EXPECT_TRUE(find(2 * kSegmentGrey, {.min_short_score = 100}).empty());
  EXPECT_TRUE(find(0).empty());
}

/// Two pieces, in a sheet that no more fit into; from 14 to 104 px if nothing of it is missing.
std::vector<FoundLine> FindShort(double grey, const LineSegmentParams& params, int missing_from,
                                 int missing_to, int step_grey = 0) {
  const Size narrow{119, 300};
  GlossyViews views(narrow);
  views.Scratch({14, 180}, {missing_from, 180}, grey);
  views.Scratch({missing_to, 180}, {104, 180}, grey);
  if (step_grey != 0) {
    AsMat(views.albedo)(cv::Rect(0, 180, 119, 120)).setTo((128 + step_grey) * kGrey);
  }
  return FindSegments(views, NotSquare(params),
                      {.ids = Filled(narrow, PixelType::kS32, 0), .mask = {}, .paths = {}});
}

TEST(LineSegments, AnswerThroughout) {
  constexpr double kFaint = 0.45 * kSegmentGrey;
  const auto found = FindShort(kFaint, {}, 60, 60);
  ASSERT_EQ(found.size(), 1U);
  const int middle = found[0].line.length() / 2;
  EXPECT_NEAR(found[0].line.At(middle).y, 180, 3);
  EXPECT_GE(found[0].score, found[0].needed);

  EXPECT_TRUE(FindShort(kSegmentGrey, {}, 24, 48).empty()) << "not all of it";
  EXPECT_FALSE(FindShort(kSegmentGrey, {.min_half_score = 0}, 24, 48).empty())
      << "as a whole it has enough";
  EXPECT_TRUE(FindShort(kFaint, {}, 60, 60, 20).empty()) << "print runs with it";
  EXPECT_TRUE(FindShort(kFaint, {.min_short_whole_score = 100}, 60, 60).empty());
}

TEST(LineSegments, MayBeginWithinAPiece) {
  const Size narrow{125, 300};  // that three pieces fit into, and no more
  const Lines known{.ids = Filled(narrow, PixelType::kS32, 0), .mask = {}, .paths = {}};
  const auto find = [&](int from, const LineSegmentParams& params) {
    GlossyViews views(narrow);
    views.Scratch({from, 180}, {121, 180}, kSegmentGrey);
    return FindSegments(views, NotSquare(params), known);
  };
  EXPECT_FALSE(find(23, {.min_short_score = 100}).empty());
  EXPECT_TRUE(find(23, {.min_short_score = 100, .min_halves = 6}).empty());
  EXPECT_TRUE(find(50, {.min_short_score = 100}).empty()) << "four of six halves";
}

TEST(LineSegments, AreFoundThinInMottleThatIsWider) {
  GlossyViews views(kSegmentSheet, 2);
  views.Scratch({100, 120}, {300, 260}, 2);
  const LineSegmentParams params = NotSquare({.full_piece_score = 2});
  const auto found = FindSegments(views, params);
  ASSERT_EQ(found.size(), 1U);
  const int middle = found[0].line.length() / 2;
  EXPECT_LE(DistanceFrom(found[0].line.At(middle), {100, 120}, {300, 260}), 3);
  EXPECT_TRUE(FindSegments(views, {.full_piece_score = 2, .thin_px = 0}).empty());
  EXPECT_TRUE(FindSegments(GlossyViews(kSegmentSheet, 2), params).empty());
}

TEST(LineSegments, AreStrongerIfTheyRunSquareWithTheObject) {
  GlossyViews views(kSegmentSheet);
  views.Scratch({60, 180}, {360, 180}, kSegmentGrey);
  const auto is_square = [](const FoundLine& segment) { return segment.line.sine == 0; };
  EXPECT_TRUE(std::ranges::any_of(FindSegments(views), is_square));
  const LineSegmentParams asked{.min_square_whole_score = 100};
  EXPECT_TRUE(std::ranges::none_of(FindSegments(views, asked), is_square));
}

TEST(LineSegments, DoNotRunAlongASide) {
  GlossyViews views(kSegmentSheet);
  views.Scratch({60, 6}, {360, 6}, kSegmentGrey);
  EXPECT_TRUE(FindSegments(views).empty());
  EXPECT_FALSE(FindSegments(views, NotSquare({.side_px = 0})).empty());
}

TEST(LineSegments, AreNotBorderOfPrint) {
  GlossyViews views(kSegmentSheet);
  views.Scratch({60, 180}, {360, 180}, kSegmentGrey);
  ASSERT_FALSE(FindSegments(views).empty());
  AsMat(views.albedo)(cv::Rect(0, 180, 420, 180)).setTo(30 * kGrey);
  EXPECT_TRUE(FindSegments(views).empty());
}

TEST(LineSegments, AreNotBesideABorderOfPrint) {
  GlossyViews views(kSegmentSheet);
  views.Scratch({60, 180}, {360, 180}, kSegmentGrey);
  AsMat(views.albedo)(cv::Rect(0, 189, 420, 171)).setTo(30 * kGrey);
  LineSegmentParams params = NotSquare();
  EXPECT_TRUE(FindSegments(views, params).empty());
  params.border.near_px = 0;
  EXPECT_FALSE(FindSegments(views, params).empty()) << "it is not asked";
}

TEST(LineSegments, CrossPrint) {
  GlossyViews views(kSegmentSheet);
  views.Scratch({60, 180}, {360, 180}, kSegmentGrey);
  for (int x = 10; x < 420; x += 30) {
    AsMat(views.albedo)(cv::Rect(x, 0, 15, 360)).setTo(60 * kGrey);
  }
  EXPECT_FALSE(FindSegments(views).empty());
}

TEST(LineSegments, AreNotBesideAKnownLine) {
  GlossyViews views(kSegmentSheet);
  views.Scratch({60, 180}, {360, 180}, kSegmentGrey);
  Lines known = NothingKnown();
  AsMat(known.ids)(cv::Rect(40, 178, 340, 1)).setTo(1);
  EXPECT_TRUE(FindSegments(views, NotSquare(), known).empty());
  AsMat(known.ids).setTo(0);
  AsMat(known.ids)(cv::Rect(210, 60, 1, 240)).setTo(1);
  EXPECT_FALSE(FindSegments(views, NotSquare(), known).empty()) << "one that only crosses it";
}

TEST(LineSegments, AreTheSameOnAnyNumberOfThreads) {
  GlossyViews views(kSegmentSheet);
  views.Scratch({100, 120}, {300, 260}, 2 * kSegmentGrey);
  const auto one = FindSegments(views, {}, NothingKnown(), 1);
  const auto five = FindSegments(views, {}, NothingKnown(), 5);
  ASSERT_EQ(one.size(), five.size());
  ASSERT_FALSE(one.empty());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].score, five[i].score);
    for (const int t : {0, one[i].line.end}) {
      EXPECT_EQ(one[i].line.At(t), five[i].line.At(t));
    }
  }
}

TEST(LineSegments, AreNotLookedForWhereTheyDoNotFit) {
  for (const Size size : {Size{15, 15}, Size{31, 79}, Size{79, 79}}) {
    GlossyViews views(size);
    views.Scratch({0, size.height / 2}, {size.width - 1, size.height / 2}, 4 * kSegmentGrey);
    const Lines known{.ids = Filled(size, PixelType::kS32, 0), .mask = {}, .paths = {}};
    EXPECT_TRUE(FindSegments(views, NotSquare(), known).empty())
        << size.width << "x" << size.height;
  }
}

TEST(LineSegments, AreFoundInObjectsOfAnySize) {
  for (const Size size : {Size{301, 263}, Size{313, 271}}) {
    GlossyViews views(size);
    views.Scratch({20, 130}, {280, 130}, 2 * kSegmentGrey);
    const Lines known{.ids = Filled(size, PixelType::kS32, 0), .mask = {}, .paths = {}};
    for (const int piece_px : {40, 43}) {
      const auto found = FindSegments(views, NotSquare({.piece_px = piece_px}), known);
      ASSERT_FALSE(found.empty()) << size.width << ", " << piece_px;
      EXPECT_NEAR(found[0].line.At(found[0].line.begin).y, 130, 2);
      EXPECT_NEAR(found[0].line.At(found[0].line.end).y, 130, 2);
    }
  }
}

}  // namespace
}  // namespace glint::photometric
