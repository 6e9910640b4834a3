// SPDX-License-Identifier: Apache-2.0
#include "analyse/locate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <string_view>

#include "analyse/cpu_stages.h"
#include "analyse/drawn_object.h"
#include "base/mat.h"
#include "support/plane_compare.h"
#include "support/sanitized.h"

namespace glint {
namespace {

/// The view's corners when the camera has moved a little; view 0 is the reference.
Quadrilateral Moved(const Quadrilateral& q, int view) {
  Quadrilateral moved = q;
  for (std::size_t i = 0; i < 4; ++i) {
    const double turn = 1.3 * view * static_cast<double>(i + 1);
    moved[i] = q[i] + Point{7.0 * view, -4.0 * view} +
               Point{std::cos(turn), std::sin(turn)} * (view > 0 ? 6.0 : 0.0);
  }
  return moved;
}

/// A rectangle of this size about the middle of a 640x480 frame, turned clockwise, seen a little
/// from the side.
Quadrilateral Turned(double width, double height, double degrees) {
  const double angle = degrees / 180 * std::numbers::pi;
  const Point x{std::cos(angle) * width / 2, std::sin(angle) * width / 2};
  const Point y{-std::sin(angle) * height / 2, std::cos(angle) * height / 2};
  const Point middle{321.3, 238.6};
  return {middle - x - y, middle + x * 0.96 - y, middle + x + y * 0.97, middle - x + y};
}

struct LocateCase {
  const char* name;
  DrawnScene scene;
  double most_error_px = 0.35;
};

void PrintTo(const LocateCase& c, std::ostream* out) { *out << c.name; }

class LocateDrawn : public testing::TestWithParam<LocateCase> {};

TEST_P(LocateDrawn, FindsTheEdgesOfTheObject) {
  const LocateCase& c = GetParam();
  // The scenes differ in what is seen, not in what threads do.
  if (kThreadSanitized && std::string_view(c.name) != "Plain") GTEST_SKIP();
  std::vector<VideoFrame> frames;
  for (int view = 0; view < 3; ++view) {
    DrawnScene scene = c.scene;
    scene.edges = Moved(*c.scene.edges, view);
    frames.push_back(DrawFrame(scene, 10LL * view));
  }
  CpuStages cpu(2);
  const auto object = cpu.Locate(frames);
  ASSERT_THAT(object, IsOk());
  EXPECT_EQ(object->method, "outline");
  EXPECT_EQ(object->reference_frame, 0);
  EXPECT_LE(CornerError(*object, *c.scene.edges), c.most_error_px);
  EXPECT_GT(object->confidence, 0.6);
  EXPECT_LE(object->confidence, 1.0);
  EXPECT_EQ(object->size, RectifiedSize(Ordered(*c.scene.edges)));
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, LocateDrawn,
    testing::Values(
        LocateCase{"Plain", {.edges = Turned(400, 290, 3)}},
        LocateCase{"Portrait",
                   {.frame = {480, 640},
                    .edges = Map(Homography{1, 0, -80, 0, 1, 80, 0, 0, 1}, Turned(280, 400, -4)),
                    .height = 143}},
        LocateCase{"Turned30Degrees", {.edges = Turned(360, 250, 30)}},
        LocateCase{"Turned80Degrees", {.edges = Turned(360, 250, 80)}},
        LocateCase{"UpsideDown", {.edges = Turned(400, 290, 176)}},
        LocateCase{"WoodenTable",
                   {.edges = Turned(280, 390, 5), .height = 139, .table = Table::kGrain}},
        LocateCase{"BusyTable", {.edges = Turned(400, 290, 8), .table = Table::kBusy}},
        LocateCase{"RoundCorners", {.edges = Turned(400, 290, 3), .round_corners = 5}},
        LocateCase{"MissingCorner", {.edges = Turned(400, 290, 3), .missing_corner = 16}},
        LocateCase{"Finger", {.edges = Turned(400, 290, 3), .finger = true}},
        LocateCase{"StrongerFrameInside", {.edges = Turned(400, 290, 3), .inner_frame = true}},
        LocateCase{"ColourAloneParts", {.edges = Turned(400, 290, 3), .equal_luma = true}}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(Locate, SeesPastTheReferencesBorderWithTheOtherFrames) {
  const Quadrilateral whole = Turned(400, 300, 2);
  const Quadrilateral cut = Map(Homography{1, 0, 0, 0, 1, -98, 0, 0, 1}, whole);  // 5 px are out
  ASSERT_LT(cut[0].y, -4);
  std::vector<VideoFrame> frames = {DrawFrame({.edges = cut}, 0)};
  for (int view = 1; view < 4; ++view)
    frames.push_back(DrawFrame({.edges = Moved(whole, view)}, view));
  CpuStages cpu(2);
  const auto object = cpu.Locate(frames);
  ASSERT_THAT(object, IsOk());
  EXPECT_EQ(object->method, "outline");
  EXPECT_LE(CornerError(*object, cut), 1.0);
}

TEST(Locate, WorksOnOneFrameAndTrustsItLess) {
  const Quadrilateral edges = Turned(400, 290, 3);
  const std::vector<VideoFrame> frames = {DrawFrame({.edges = edges}, 0)};
  CpuStages cpu(1);
  const auto object = cpu.Locate(frames);
  ASSERT_THAT(object, IsOk());
  EXPECT_EQ(object->method, "outline");
  EXPECT_LE(CornerError(*object, edges), 0.35);
  EXPECT_LE(object->confidence, 0.5);
}

TEST(Locate, TakesAnotherFrameWhenTheFirstShowsNothing) {
  const Quadrilateral edges = Turned(400, 290, 3);
  const std::vector<VideoFrame> frames = {DrawFrame({}, 4), DrawFrame({.edges = edges}, 9)};
  CpuStages cpu(1);
  const auto object = cpu.Locate(frames);
  ASSERT_THAT(object, IsOk());
  EXPECT_EQ(object->method, "outline");
  EXPECT_EQ(object->reference_frame, 9);
  EXPECT_LE(CornerError(*object, edges), 0.35);
}

TEST(Locate, TakesTheWholeFrameWhenThereIsNoObject) {
  const std::vector<VideoFrame> frames = {DrawFrame({}, 0), DrawFrame({}, 20)};
  CpuStages cpu(1);
  const auto object = cpu.Locate(frames);
  ASSERT_THAT(object, IsOk());
  EXPECT_EQ(object->method, "full frame");
  EXPECT_EQ(object->confidence, 0);
  EXPECT_EQ(object->size, (Size{640, 480}));
  // Object pixels are frame pixels.
  const Quadrilateral frame = {{{0, 0}, {640, 0}, {640, 480}, {0, 480}}};
  EXPECT_LT(CornerDistance(object->corners, frame), 1e-9);
}

/// Soft noise, and other soft noise in a disc about the middle, moved by this many pixels.
VideoFrame MovingDisc(int moved, std::int64_t index) {
  const Size size{320, 240};
  cv::Mat table = AsMat(NoisePlane(size, 1)).clone();
  cv::Mat disc = AsMat(NoisePlane(size, 2)).clone();
  for (cv::Mat* noise : {&table, &disc}) {
    cv::GaussianBlur(*noise, *noise, {9, 9}, 2.5);
    cv::equalizeHist(*noise, *noise);
  }
  cv::Mat mask(disc.size(), CV_8U, cv::Scalar(0));
  cv::circle(mask, {160, 120}, 80, 255, cv::FILLED);
  const cv::Rect from(0, 0, size.width - moved, size.height);
  const cv::Rect to(moved, 0, size.width - moved, size.height);
  disc(from).copyTo(table(to), mask(from));
  cv::Mat rgb;
  cv::cvtColor(table, rgb, cv::COLOR_GRAY2RGB);
  return FrameOf(AsPlane(rgb), index);
}

TEST(Locate, TakesWhatMovesWhenNothingHasStraightSides) {
  const std::vector<VideoFrame> frames = {MovingDisc(0, 0), MovingDisc(5, 20)};
  CpuStages cpu(1);
  const auto object = cpu.Locate(frames);
  ASSERT_THAT(object, IsOk());
  ASSERT_EQ(object->method, "moving region");
  EXPECT_LT(object->confidence, 0.5);
  const Quadrilateral& q = object->corners;
  for (const Point p : {Point{95, 120}, Point{225, 120}, Point{160, 55}, Point{160, 185}})
    EXPECT_TRUE(Contains(q, p)) << p.x << ", " << p.y;
  EXPECT_LT(Area(q), 1.4 * 160 * 160);
}

TEST(Locate, IsTheSameForAnyNumberOfThreads) {
  const Quadrilateral edges = Turned(400, 290, 12);
  const std::vector<VideoFrame> frames = {DrawFrame({.edges = edges}, 0),
                                          DrawFrame({.edges = Moved(edges, 1)}, 20)};
  CpuStages one(1);
  CpuStages three(3);
  const auto a = one.Locate(frames);
  const auto b = three.Locate(frames);
  ASSERT_THAT(a, IsOk());
  ASSERT_THAT(b, IsOk());
  EXPECT_EQ(CornerDistance(a->corners, b->corners), 0);
  EXPECT_EQ(a->confidence, b->confidence);
}

TEST(Locate, RefusesNoFrames) {
  CpuStages cpu(1);
  EXPECT_EQ(cpu.Locate({}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Locate, RefusesFramesWithoutTheirFeatures) {
  const std::vector<VideoFrame> frames = {DrawFrame({.edges = Turned(400, 290, 12)}, 0)};
  CpuStages cpu(1);
  const auto none = FeaturesOf({}, cpu.stages, cpu.pool);
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(Locate(frames, *none, cpu.stages, cpu.pool).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(RegisterViews(frames, *none, {}, cpu.stages, cpu.pool).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace glint
