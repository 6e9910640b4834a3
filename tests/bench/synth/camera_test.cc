// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/camera.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace glint {
namespace {

double Distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

TEST(FilmByHand, TheWholeObjectIsInEveryFrameAndFillsMostOfIt) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    for (const Size display : {Size{1280, 720}, {720, 1280}, {320, 180}, {500, 500}}) {
      const CameraPath path = FilmByHand(0.7, display, 90, 30, seed);
      ASSERT_EQ(path.frames.size(), 90U);
      for (std::size_t i = 0; i < path.frames.size(); ++i) {
        const Quadrilateral corners = path.Corners(i);
        for (const Point& p : corners) {
          ASSERT_GT(p.x, 0) << "seed " << seed << " frame " << i;
          ASSERT_GT(p.y, 0) << "seed " << seed << " frame " << i;
          ASSERT_LT(p.x, display.width - 1) << "seed " << seed << " frame " << i;
          ASSERT_LT(p.y, display.height - 1) << "seed " << seed << " frame " << i;
        }
        const double area = Distance(corners[0], corners[1]) * Distance(corners[1], corners[2]);
        ASSERT_GT(area, 0.25 * static_cast<double>(display.area())) << "seed " << seed;
      }
    }
  }
}

TEST(FilmByHand, ObjectPixelsAreAboutAsLargeAsThePixelsOfTheFrames) {
  const CameraPath path = FilmByHand(0.7, {1280, 720}, 60, 30, 5);
  const Quadrilateral corners = path.Corners(30);
  EXPECT_NEAR(Distance(corners[0], corners[1]) / path.flat_size.width, 1, 0.1);
  EXPECT_NEAR(Distance(corners[1], corners[2]) / path.flat_size.height, 1, 0.1);
  EXPECT_NEAR(static_cast<double>(path.flat_size.width) / path.flat_size.height, 0.7, 0.002);
}

TEST(FilmByHand, MapsThereAndBackAndMeasuresItsMotion) {
  const CameraPath path = FilmByHand(0.7, {1280, 720}, 60, 30, 6);
  const Point there{123.4, 567.8};
  for (const CameraFrame& frame : path.frames) {
    const Point back = Apply(frame.object_from_frame, Apply(frame.frame_from_object, there));
    EXPECT_LT(Distance(back, there), 1e-8);
    EXPECT_GT(frame.eye.z, 0.8);
  }
  EXPECT_EQ(path.motion_px[0], 0);
  const Point middle{path.flat_size.width / 2.0, path.flat_size.height / 2.0};
  for (std::size_t i = 1; i < path.frames.size(); ++i) {
    const double moved = Distance(Apply(path.frames[i - 1].frame_from_object, middle),
                                  Apply(path.frames[i].frame_from_object, middle));
    EXPECT_NEAR(path.motion_px[i], moved, 1) << i;
  }
}

TEST(FilmByHand, AHandTremblesButHoldsStillEnough) {
  int moments_out_of_focus = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const CameraPath path = FilmByHand(0.7, {1280, 720}, 180, 30, seed);
    std::vector<double> motion(path.motion_px.begin() + 1, path.motion_px.end());
    std::sort(motion.begin(), motion.end());
    EXPECT_GT(motion[90], 0.2) << seed;  // px per frame at 1280 px; the limit of a scan is 2
    EXPECT_LT(motion[90], 2) << seed;
    EXPECT_LT(motion.back(), 6) << seed;
    const auto blurred = [](const CameraFrame& frame) { return frame.defocus > 0.5; };
    const auto count = std::count_if(path.frames.begin(), path.frames.end(), blurred);
    EXPECT_LT(count, 45) << seed;
    moments_out_of_focus += count > 0 ? 1 : 0;
  }
  EXPECT_GT(moments_out_of_focus, 4);
  EXPECT_LT(moments_out_of_focus, 20);
}

}  // namespace
}  // namespace glint
