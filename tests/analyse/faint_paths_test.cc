// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/faint_paths.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <utility>
#include <vector>

#include "analyse/glossy_views.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr Size kPathSheet{420, 360};

/// A path that has so much of the score that it needs, along some points.
Lines PathAlong(const std::vector<cv::Point>& points, double score_share = 1.05) {
  const Plane ids = Filled(kPathSheet, PixelType::kS32, 0);
  cv::Mat drawn(kPathSheet.height, kPathSheet.width, CV_8U, cv::Scalar(0));
  cv::polylines(drawn, points, false, cv::Scalar(255));
  AsMat(ids).setTo(1, drawn);
  const cv::Rect box = cv::boundingRect(drawn);
  LinePath path{.box = {box.x, box.y, box.width, box.height}, .peak = 2};
  path.needed = 6;
  path.score = score_share * path.needed;
  return {.ids = ids, .mask = {}, .paths = {path}};
}

bool IsKept(const GlossyViews& views, Lines lines, const FaintPathParams& params = {},
            int threads = 2) {
  ThreadPool pool(threads);
  const ResidualViews residuals = views.Views();
  const LineResponseParams response_params;
  const LineResponse response(residuals, response_params, pool);
  const Lines left = LeaveOutUnlit(std::move(lines), response, views.albedo, params, pool);
  EXPECT_EQ(cv::countNonZero(AsMat(left.ids)) > 0, !left.paths.empty());
  return !left.paths.empty();
}

const std::vector<cv::Point> kSlanted{{60, 150}, {200, 190}};

TEST(FaintPaths, AreNoLinesInMottle) {
  const GlossyViews views(kPathSheet);
  EXPECT_FALSE(IsKept(views, PathAlong(kSlanted)));
  EXPECT_TRUE(IsKept(views, PathAlong(kSlanted), {.min_score = 0}));
}

TEST(FaintPaths, AreLinesWhereTheyAnswerToTheLight) {
  GlossyViews views(kPathSheet);
  views.Scratch({60, 150}, {200, 190}, 8);
  EXPECT_TRUE(IsKept(views, PathAlong(kSlanted)));
  EXPECT_TRUE(IsKept(views, PathAlong({{60, 152}, {200, 192}}))) << "on a flank of it";
  EXPECT_FALSE(IsKept(views, PathAlong({{60, 250}, {200, 290}}))) << "elsewhere";
}

TEST(FaintPaths, AnswerMoreWherePrintRunsWithThem) {
  GlossyViews views(kPathSheet);
  views.Scratch({60, 150}, {200, 190}, 2);
  const std::vector<cv::Point> below{{0, 133}, {419, 253}, {419, 359}, {0, 359}};
  cv::fillPoly(AsMat(views.albedo), std::vector{below}, cv::Scalar(188 * kGrey));
  EXPECT_FALSE(IsKept(views, PathAlong(kSlanted)));
  EXPECT_TRUE(IsKept(views, PathAlong(kSlanted), {.print = {.print_cost = 0}}));
}

TEST(FaintPaths, MayBend) {
  const std::vector<cv::Point> bowed{{60, 150}, {95, 190}, {140, 205}, {185, 190}, {220, 150}};
  GlossyViews views(kPathSheet);
  for (std::size_t i = 0; i + 1 < bowed.size(); ++i) views.Scratch(bowed[i], bowed[i + 1], 8);
  EXPECT_TRUE(IsKept(views, PathAlong(bowed)));
  EXPECT_FALSE(IsKept(views, PathAlong(bowed), {.piece_px = 500})) << "as one straight piece";
}

TEST(FaintPaths, AreThoseOfALittleScoreAndPeak) {
  const GlossyViews views(kPathSheet);
  EXPECT_TRUE(IsKept(views, PathAlong(kSlanted, 1.2)));
  Lines strong = PathAlong(kSlanted);
  strong.paths[0].peak = 4;
  EXPECT_TRUE(IsKept(views, strong));
  EXPECT_TRUE(IsKept(views, PathAlong({{60, 150}, {64, 150}}))) << "too short to say";
}

TEST(FaintPaths, LeaveTheOthers) {
  GlossyViews views(kPathSheet);
  Lines lines = PathAlong(kSlanted);
  const Lines other = PathAlong({{60, 250}, {200, 290}}, 2);
  AsMat(lines.ids).setTo(2, AsMat(other.ids) != 0);
  lines.paths.push_back(other.paths[0]);
  ThreadPool pool(2);
  const ResidualViews residuals = views.Views();
  const LineResponseParams response_params;
  const LineResponse response(residuals, response_params, pool);
  const Lines left = LeaveOutUnlit(std::move(lines), response, views.albedo, {}, pool);
  ASSERT_EQ(left.paths.size(), 1U);
  EXPECT_EQ(left.paths[0].score, other.paths[0].score);
  EXPECT_EQ(AsMat(left.ids).at<std::int32_t>(250, 60), 1);
  EXPECT_EQ(AsMat(left.ids).at<std::int32_t>(150, 60), 0);
}

TEST(FaintPaths, MayLieAtTheRim) {
  GlossyViews views(kPathSheet);
  const std::vector<cv::Point> rim{{0, 2}, {120, 2}};
  EXPECT_FALSE(IsKept(views, PathAlong(rim)));
  views.Scratch({0, 2}, {120, 2}, 8);
  EXPECT_TRUE(IsKept(views, PathAlong(rim)));
}

}  // namespace
}  // namespace glint::photometric
