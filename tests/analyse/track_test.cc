// SPDX-License-Identifier: Apache-2.0
#include "analyse/track.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyse/alignment.h"
#include "analyse/cpu_stages.h"
#include "analyse/drawn_object.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

const Quadrilateral kEdges = {{{118, 92}, {531, 80}, {540, 389}, {110, 401}}};

/// The outline after `steps` of a camera that drifts and turns; more than a coarse search could
/// find at once when there are many.
Quadrilateral After(int steps) {
  const double s = steps;
  return Map(Homography{1 + 0.003 * s, 0.006 * s, -9.3 * s, -0.006 * s, 1 + 0.003 * s, 4.1 * s,
                        1e-6 * s, -1e-6 * s, 1},
             kEdges);
}

std::vector<RegisteredView> Track(const std::vector<VideoFrame>& frames, std::size_t reference,
                                  const LocatedObject& object, int threads = 2,
                                  const KnownMotion& known = {}) {
  CpuStages cpu(threads);
  std::vector<RegisteredView> views(frames.size());
  const auto take = [&](std::size_t i, const VideoFrame&, const RegisteredView& view) {
    views[i] = view;
    return absl::OkStatus();
  };
  EXPECT_THAT(
      TrackViews(frames, frames[reference], object, cpu.stages, cpu.pool, {}, take, {}, known),
      IsOk());
  return views;
}

TEST(TrackViews, FollowsADriftBothWaysToAnEighthOfAPixel) {
  std::vector<VideoFrame> frames;
  frames.reserve(7);
  for (int i = 0; i < 7; ++i)
    frames.push_back(DrawFrame({.edges = After(i - 3)}, std::int64_t{10} * i));
  const LocatedObject object = ObjectAt(kEdges, 30);
  const auto views = Track(frames, 3, object);
  for (int i = 0; i < 7; ++i) {
    const RegisteredView& view = views[static_cast<std::size_t>(i)];
    EXPECT_TRUE(view.registered) << i << " " << view.why_dropped;
    EXPECT_LT(Missed(view, object, After(i - 3)), i == 3 ? 1e-9 : 0.125) << i;
    EXPECT_LT(view.residual_px, 0.2) << i;
  }
}

TEST(TrackViews, StartsFromFeaturesWhereAViewLiesFarFromItsNeighbour) {
  const Quadrilateral far = {{{81, 131}, {489, 28}, {538, 317}, {101, 438}}};
  const std::vector<VideoFrame> frames = {DrawFrame({.edges = kEdges}, 0),
                                          DrawFrame({.edges = far}, 1)};
  const LocatedObject object = ObjectAt(kEdges, 0);
  const auto views = Track(frames, 0, object);
  EXPECT_TRUE(views[1].registered) << views[1].why_dropped;
  EXPECT_LT(Missed(views[1], object, far), 0.1);
}

TEST(TrackViews, DropsWhatItCannotUseAndGoesOn) {
  const auto shifted = [](double x) { return Map(Homography{1, 0, x, 0, 1, 0, 0, 0, 1}, kEdges); };
  const std::vector<VideoFrame> frames = {
      DrawFrame({.edges = kEdges}, 0), DrawFrame({.table = Table::kBusy}, 1),
      DrawFrame({.edges = shifted(330)}, 2), DrawFrame({.edges = After(1)}, 3)};
  const LocatedObject object = ObjectAt(kEdges, 0);
  const auto views = Track(frames, 0, object);
  EXPECT_FALSE(views[1].registered);
  EXPECT_THAT(views[1].why_dropped, HasSubstr("features match"));
  EXPECT_FALSE(views[2].registered);
  EXPECT_THAT(views[2].why_dropped, HasSubstr("% of the object"));
  EXPECT_TRUE(views[3].registered) << views[3].why_dropped;
  EXPECT_LT(Missed(views[3], object, After(1)), 0.1);
}

/// The corners of an object with these edges: where its first pixel lies, half a pixel inside.
Quadrilateral CornersInside(const Quadrilateral& edges, Size size) {
  const double right = size.width + 0.5;
  const double bottom = size.height + 0.5;
  return Map(FrameFromObject(edges, size),
             Quadrilateral{{{0.5, 0.5}, {right, 0.5}, {right, bottom}, {0.5, bottom}}});
}

TEST(TrackViews, FollowsABlankSheetByItsSidesBetweenTheFramesThatWereSearched) {
  std::vector<VideoFrame> frames;
  frames.reserve(6);
  for (int i = 0; i < 6; ++i) frames.push_back(DrawFrame({.edges = After(i), .blank = true}, i));
  LocatedObject object = ObjectAt(kEdges, 0);
  object.corners = CornersInside(kEdges, object.size);
  KnownMotion known{.outlines = {{0, After(0)}, {4, After(4)}}, .plain = true};
  const auto views = Track(frames, 0, object, 2, known);
  for (int i = 1; i <= 4; ++i) {
    const RegisteredView& view = views[static_cast<std::size_t>(i)];
    EXPECT_TRUE(view.registered) << i << " " << view.why_dropped;
    EXPECT_LT(Missed(view, object, CornersInside(After(i), object.size)), 0.3) << i;
  }
  EXPECT_FALSE(views[5].registered) << "nobody says where it lies";
  known.plain = false;
  EXPECT_FALSE(Track(frames, 0, object, 2, known)[2].registered) << "only its print may lead to it";
}

TEST(TrackViews, AnyNumberOfThreadsGivesTheSameBits) {
  std::vector<VideoFrame> frames;
  frames.reserve(3);
  for (int i = 0; i < 3; ++i) frames.push_back(DrawFrame({.edges = After(i)}, i));
  const LocatedObject object = ObjectAt(kEdges, 0);
  const auto one = Track(frames, 0, object, 1);
  const auto five = Track(frames, 0, object, 5);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(one[i].frame_from_object, five[i].frame_from_object);
    EXPECT_EQ(one[i].residual_px, five[i].residual_px);
  }
}

TEST(TrackViews, StopsWhenAskedAndPassesErrorsOn) {
  const std::vector<VideoFrame> frames = {DrawFrame({.edges = kEdges}, 0)};
  const LocatedObject object = ObjectAt(kEdges, 0);
  CpuStages cpu(1);
  std::stop_source stop;
  const auto refuse = [](std::size_t, const VideoFrame&, const RegisteredView&) {
    return Error(Reason::kDiskFull, "no");
  };
  EXPECT_THAT(TrackViews(frames, frames[0], object, cpu.stages, cpu.pool, {}, refuse),
              FailsWith(Reason::kDiskFull, HasSubstr("no")));
  stop.request_stop();
  EXPECT_THAT(TrackViews(frames, frames[0], object, cpu.stages, cpu.pool,
                         CancelToken(stop.get_token()), refuse),
              FailsWith(Reason::kCancelled, testing::_));
}

TEST(AlignmentTarget, FindsTheShiftUnderAnotherLight) {
  const Plane picture = DrawFrame({.edges = kEdges}, 0).luma;
  Plane view = Plane::Host(picture.size(), PixelType::kU8);
  for (int y = 0; y < view.height(); ++y) {  // half a pixel to the right, darker, with a veil
    for (int x = 0; x < view.width(); ++x) {
      const auto* row = picture.Row<std::uint8_t>(y);
      const int mean = row[x] + row[std::max(x - 1, 0)];
      view.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(mean * 3 / 8 + 30 + x / 20);
    }
  }
  ThreadPool pool(2);
  const AlignmentTarget target(picture);
  ASSERT_GT(target.patches(), 100U);
  const auto found = target.Align(view, {1, 0, 0, 0, 1, 0, 0, 0, 1}, picture.size(),
                                  AlignmentMotion::kHomography, pool);
  ASSERT_TRUE(found);
  const Point moved = Map(found->correction, Point{320, 240});
  EXPECT_NEAR(moved.x, 320.5, 0.15);  // in a single step
  EXPECT_NEAR(moved.y, 240, 0.05);
  EXPECT_GT(found->agreeing, 0.9);
}

TEST(AlignmentTarget, RecognisesNothingInAnotherPictureOrABlankOne) {
  ThreadPool pool(1);
  const Plane picture = DrawFrame({.edges = kEdges}, 0).luma;
  const Plane another = DrawFrame({.table = Table::kBusy, .seed = 7}, 0).luma;
  const Homography identity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const AlignmentTarget target(picture);
  const auto other =
      target.Align(another, identity, another.size(), AlignmentMotion::kAffine, pool);
  EXPECT_TRUE(!other || other->agreeing < 0.5);
  EXPECT_FALSE(AlignmentTarget(Plane::Host({17, 16}, PixelType::kU8))
                   .Align(picture, identity, {17, 16}, AlignmentMotion::kAffine, pool));
}

}  // namespace
}  // namespace glint
