// SPDX-License-Identifier: Apache-2.0
#include "analyse/register.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyse/cpu_stages.h"
#include "analyse/drawn_object.h"
#include "analyse/rectify.h"

namespace glint {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const Quadrilateral kEdges = {{{118, 92}, {531, 80}, {540, 389}, {110, 401}}};
const Quadrilateral kMoved = {{{101, 71}, {509, 88}, {528, 377}, {91, 388}}};

TEST(RegisterViews, FindsTheViewsHomographyToATenthOfAPixel) {
  const std::vector<VideoFrame> frames = {DrawFrame({.edges = kMoved}, 3),
                                          DrawFrame({.edges = kEdges}, 40)};
  const LocatedObject object = ObjectAt(kEdges, 40);
  CpuStages cpu(2);
  const auto views = cpu.RegisterViews(frames, object);
  ASSERT_THAT(views, IsOk());
  ASSERT_EQ(views->size(), 2U);
  const auto& [view, reference] = std::tie((*views)[0], (*views)[1]);
  EXPECT_TRUE(reference.registered);
  EXPECT_EQ(reference.residual_px, 0);
  EXPECT_LT(Missed(reference, object, kEdges), 1e-9);
  EXPECT_TRUE(view.registered) << view.why_dropped;
  EXPECT_THAT(view.why_dropped, IsEmpty());
  EXPECT_LT(Missed(view, object, kMoved), 0.1);
  EXPECT_LT(view.residual_px, 0.2);
  EXPECT_EQ(view.coverage, 1);
}

TEST(RegisterViews, DropsWhatItCannotUseAndSaysWhy) {
  const auto shifted = [](double x) { return Map(Homography{1, 0, x, 0, 1, 0, 0, 0, 1}, kEdges); };
  struct Case {
    const char* name;
    DrawnScene scene;
    const char* why;
  };
  const Case cases[] = {
      {"another thing", {.table = Table::kBusy}, "features match"},
      {"no texture", {.edges = kMoved, .blank = true}, "features match"},
      {"mostly outside", {.edges = shifted(330)}, "% of the object"},
  };
  std::vector<VideoFrame> frames = {DrawFrame({.edges = kEdges}, 0)};
  for (const Case& c : cases)
    frames.push_back(DrawFrame(c.scene, static_cast<std::int64_t>(frames.size())));
  CpuStages cpu(1);
  const auto views = cpu.RegisterViews(frames, ObjectAt(kEdges, 0));
  ASSERT_THAT(views, IsOk());
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    const RegisteredView& view = (*views)[i + 1];
    EXPECT_FALSE(view.registered) << cases[i].name;
    EXPECT_THAT(view.why_dropped, HasSubstr(cases[i].why)) << cases[i].name;
  }
}

TEST(RegisterViews, KeepsAViewThatShowsMostOfTheObject) {
  const Quadrilateral cut = Map(Homography{1, 0, 190, 0, 1, 0, 0, 0, 1}, kEdges);
  const std::vector<VideoFrame> frames = {DrawFrame({.edges = kEdges}, 0),
                                          DrawFrame({.edges = cut}, 1)};
  const LocatedObject object = ObjectAt(kEdges, 0);
  CpuStages cpu(1);
  const auto views = cpu.RegisterViews(frames, object);
  ASSERT_THAT(views, IsOk());
  const RegisteredView& view = (*views)[1];
  EXPECT_TRUE(view.registered) << view.why_dropped;
  EXPECT_NEAR(view.coverage, 0.78, 0.03);
  EXPECT_LT(Missed(view, object, cut), 0.3);
}

TEST(RegisterViews, NeedsTheReferenceAmongTheFrames) {
  const std::vector<VideoFrame> frames = {DrawFrame({.frame = {64, 64}}, 0)};
  CpuStages cpu(1);
  const auto views = cpu.RegisterViews(frames, ObjectAt(kEdges, 7));
  EXPECT_EQ(views.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(views.status())), HasSubstr("reference frame 7"));
}

TEST(Rectify, TakesObjectPixelsFromWhereTheHomographySays) {
  Plane frame = Plane::Host({40, 30}, PixelType::kU8);
  for (int y = 0; y < 30; ++y) {
    for (int x = 0; x < 40; ++x)
      frame.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(5 * x + y);
  }
  const Quadrilateral corners = {{{10, 5}, {30, 5}, {30, 20}, {10, 20}}};
  CpuStages cpu(1);
  const auto picture = Rectify(frame, FrameFromObject(corners, {20, 15}), {20, 15}, cpu.stages);
  ASSERT_THAT(picture, IsOk());
  EXPECT_EQ(picture->size(), (Size{20, 15}));
  EXPECT_EQ(picture->Row<std::uint8_t>(0)[0], 5 * 10 + 5);
  EXPECT_EQ(picture->Row<std::uint8_t>(14)[19], 5 * 29 + 19);
}

TEST(Validity, LeavesOutWhatLiesOutsideAndAMarginOfFourPixels) {
  // Object pixel x lies at frame pixel x - 10.
  CpuStages cpu(1);
  const Homography frame_from_object = {1, 0, -10, 0, 1, 0, 0, 0, 1};
  const auto valid = Validity({100, 60}, frame_from_object, {50, 60}, cpu.stages);
  ASSERT_THAT(valid, IsOk());
  EXPECT_EQ(valid->Row<std::uint8_t>(30)[13], 0);
  EXPECT_EQ(valid->Row<std::uint8_t>(30)[14], 255);
  EXPECT_EQ(valid->Row<std::uint8_t>(0)[49], 255);
  EXPECT_NEAR(Coverage({100, 60}, frame_from_object, {50, 60}), 0.8, 0.011);
}

}  // namespace
}  // namespace glint
