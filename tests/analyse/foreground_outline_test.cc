// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/foreground_outline.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "analyse/drawn_object.h"
#include "analyse/location/object_search.h"
#include "analyse/location/outline_judge.h"
#include "analyse/location/outline_proposals.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"
#include "analyse/still_clip.h"
#include "base/mat.h"
#include "base/thread_pool.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

const cv::Rect kSheet(200, 120, 240, 260);
const Quadrilateral kSheetSides = Box(199.5, 119.5, 439.5, 379.5);

/// A colour with a coarse grain, the same for a seed. @param grain  grey
cv::Mat Grained(const cv::Scalar& colour, cv::Size size, double grain, int seed) {
  cv::Mat noise(size, CV_32F), rgb(size, CV_32FC3, colour);
  cv::RNG random(static_cast<std::uint64_t>(seed));
  random.fill(noise, cv::RNG::NORMAL, 0, 4 * grain);
  cv::GaussianBlur(noise, noise, {}, 1.2);
  cv::Mat grained;
  cv::merge(std::vector<cv::Mat>{noise, noise, noise}, grained);
  rgb += grained;
  rgb.convertTo(rgb, CV_8U);
  return rgb;
}

cv::Mat Boards() { return Grained(cv::Scalar(120, 85, 60), {640, 480}, 8, 1); }

/// A sheet on a table, of another colour and no brighter. @param blur  of its sides, sigma
cv::Mat SheetWithoutEdges(cv::Point at, const cv::Scalar& colour, double grain, double blur) {
  const cv::Mat boards = Grained(cv::Scalar(120, 85, 60), {640, 480}, grain, 1);
  const cv::Mat sheet = Grained(colour, kSheet.size(), grain, 2);
  cv::Mat rgb(boards.size(), CV_8UC3, colour);
  sheet.copyTo(rgb(cv::Rect(at, sheet.size())));
  cv::Mat cover(boards.size(), CV_32F, cv::Scalar(0)), blended;
  cover(cv::Rect(at, sheet.size())).setTo(1);
  cv::GaussianBlur(cover, cover, {}, blur);
  cv::blendLinear(rgb, boards, cover, 1 - cover, blended);
  return blended;
}

TEST(Foreground, IsUnlikeTheBorder) {
  cv::Mat rgb = Boards();
  rgb(kSheet) = cv::Scalar(90, 110, 150);
  const cv::Mat foreground = FindForeground(rgb, {});
  cv::Mat truth(rgb.size(), CV_8U, cv::Scalar(0));
  truth(kSheet).setTo(255);
  EXPECT_LT(cv::countNonZero(foreground ^ truth), 0.05 * kSheet.area());
  EXPECT_EQ(cv::countNonZero(FindForeground(Boards(), {})), 0) << "a table alone";
  rgb(cv::Rect(0, 0, 60, 20)) = cv::Scalar(90, 110, 150);
  EXPECT_LT(cv::countNonZero(FindForeground(rgb, {}) ^ truth), 0.1 * kSheet.area())
      << "a little of it at the border";
  cv::Mat specks = Boards();
  for (int x = 40; x < 600; x += 60) specks(cv::Rect(x, 240, 14, 14)) = cv::Scalar(230, 230, 230);
  EXPECT_EQ(cv::countNonZero(FindForeground(specks, {})), 0) << "crumbs";
}

TEST(Foreground, IsEnclosedByAQuadrilateral) {
  cv::Mat foreground(480, 640, CV_8U, cv::Scalar(0));
  foreground(kSheet).setTo(255);
  foreground(cv::Rect(260, 180, 60, 80)).setTo(0);  // print like the table
  foreground(cv::Rect(200, 120, 240, 60) & cv::Rect(300, 120, 80, 60)).setTo(0);
  const auto outline = OutlineOfForeground(foreground);
  ASSERT_TRUE(outline);
  EXPECT_LT(TurnedCornerDistance(*outline, kSheetSides), 1);
  EXPECT_GT(Area(*outline), 0) << "clockwise";
  EXPECT_FALSE(OutlineOfForeground(cv::Mat(480, 640, CV_8U, cv::Scalar(0))));
}

TEST(QuadrilateralAround, LeavesOutTheEdgesThatCutCornersOff) {
  const std::vector<cv::Point> cut = {{10, 0},    {195, 0}, {200, 5}, {200, 90},
                                      {190, 100}, {0, 100}, {0, 8}};
  const auto around = QuadrilateralAround(cv::Mat(cut));
  ASSERT_TRUE(around);
  EXPECT_LT(TurnedCornerDistance(*around, Box(0, 0, 200, 100)), 1e-6);
  const std::vector<cv::Point> triangle = {{0, 0}, {100, 0}, {50, 80}};
  EXPECT_FALSE(QuadrilateralAround(cv::Mat(triangle)));
  const std::vector<cv::Point> square = {{0, 0}, {100, 0}, {100, 100}, {0, 100}};
  EXPECT_EQ(TurnedCornerDistance(*QuadrilateralAround(cv::Mat(square)), Box(0, 0, 100, 100)), 0);
}

TEST(Foreground, LetsPlacesCountWhereItEnds) {
  const cv::Mat rgb = SheetWithoutEdges(kSheet.tl(), cv::Scalar(118, 96, 84), 0.5, 8);
  EdgeMap edges(rgb, {});
  EXPECT_LT(JudgeOutline(edges, kSheetSides, 3).MeanSupport(), 0.2) << "no edges";
  edges.SetForeground(FindForeground(rgb, {}));
  EXPECT_GT(JudgeOutline(edges, kSheetSides, 3).LeastSupport(), 0.8);
  EXPECT_LT(JudgeOutline(edges, Box(240, 160, 400, 340), 3).MeanSupport(), 0.2) << "within it";
  EXPECT_LT(JudgeOutline(edges, Box(150, 70, 490, 430), 3).MeanSupport(), 0.2) << "around it";
}

/// A sheet that moves over the table.
std::vector<VideoFrame> MovingSheet(const cv::Scalar& colour, double grain, double blur) {
  std::vector<VideoFrame> frames;
  for (int i = 0; i < 8; ++i) {
    const cv::Point at(120 + 25 * i, 100 + 4 * i);
    frames.push_back(FrameOf(AsPlane(SheetWithoutEdges(at, colour, grain, blur)), 5LL * i));
  }
  return frames;
}

TEST(Foreground, IsTheObjectWhereNoFourEdgesAre) {
  ThreadPool pool(2);
  const std::vector<VideoFrame> frames = MovingSheet(cv::Scalar(95, 88, 105), 8, 2.5);
  ObjectSearchParams by_edges;
  by_edges.foreground.min_deviations = 100;  // nothing is
  const auto none = SearchObject(frames, std::nullopt, pool, by_edges);
  ASSERT_THAT(none, IsOk());
  ASSERT_TRUE(none->not_judged);
  EXPECT_EQ(none->not_judged->cause, NotJudgedCause::kNoObject);
  const auto over = SearchObject(frames, std::nullopt, pool);
  ASSERT_THAT(over, IsOk());
  EXPECT_FALSE(over->not_judged) << over->confidence;
  ObjectSearchParams by_sides;
  by_sides.outermost.foreground_gain = 0;
  const auto less = SearchObject(frames, std::nullopt, pool, by_sides);
  ASSERT_THAT(less, IsOk());
  EXPECT_GT(over->confidence, less->confidence) << "it is the foreground frame after frame";
  ASSERT_GE(over->frames.size(), 6U);
  for (const ObjectInFrame& seen : over->frames) {
    const auto i = static_cast<double>(seen.frame) / 5;
    const double x = 119.5 + 25 * i, y = 99.5 + 4 * i;
    EXPECT_LT(TurnedCornerDistance(seen.corners, Box(x, y, x + kSheet.width, y + kSheet.height)), 8)
        << "frame " << seen.frame;
  }
}

TEST(Foreground, IsAskedWhereEdgesAreUnsure) {
  ThreadPool pool(2);
  const std::vector<VideoFrame> frames = MovingSheet(cv::Scalar(120, 113, 80), 1, 2.5);
  const auto confidence_if = [&](double edges_are_asked) {
    ObjectSearchParams params;
    params.min_edge_confidence = edges_are_asked;
    const auto over = SearchObject(frames, std::nullopt, pool, params);
    EXPECT_THAT(over, IsOk());
    return over.ok() ? over->confidence : -1;
  };
  const double by_edges = confidence_if(0);
  EXPECT_GT(by_edges, 0.7) << "an object, but no sure one";
  EXPECT_LT(by_edges, 0.8);
  EXPECT_GT(confidence_if(0.8), 0.9) << "its colours are sure";
  EXPECT_EQ(confidence_if(by_edges), by_edges) << "as sure as is asked";
}

}  // namespace
}  // namespace glint
