// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/film.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "base/thread_pool.h"
#include "support/plane_compare.h"

namespace glint {
namespace {

SynthOptions Turned(int rotation) {
  SynthOptions options;
  options.kind = SynthKind::kCard;
  options.rotation = rotation;
  options.video_size = rotation % 180 == 0 ? Size{240, 180} : Size{180, 240};
  options.frames = 3;
  return options;
}

Plane Copy(const Plane& plane) {
  Plane copy = Plane::Host(plane.size(), plane.type());
  for (int y = 0; y < plane.height(); ++y)
    std::copy_n(plane.Row<std::uint8_t>(y), plane.width(), copy.Row<std::uint8_t>(y));
  return copy;
}

TEST(Film, AnyNumberOfThreadsExposesTheSameBytes) {
  const Scene scene = BuildScene(Turned(0));
  ThreadPool one(1);
  ThreadPool three(3);
  Film alone(scene, 0, 7, one);
  Film together(scene, 0, 7, three);
  for (std::size_t frame = 0; frame < 3; ++frame) {
    const Yuv420Picture& a = alone.Expose(frame);
    const Yuv420Picture& b = together.Expose(frame);
    EXPECT_TRUE(SameBytes(a.y, b.y));
    EXPECT_TRUE(SameBytes(a.u, b.u));
    EXPECT_TRUE(SameBytes(a.v, b.v));
  }
}

TEST(Film, ATurnedPictureIsTheUprightOneTurnedBack) {
  ThreadPool pool(2);
  const Scene upright_scene = BuildScene(Turned(0));
  Film upright_film(upright_scene, 0, 7, pool);
  const Plane upright = Copy(upright_film.Expose(0).y);
  for (const int rotation : {90, 180, 270}) {
    const Scene scene = BuildScene(Turned(rotation));
    ASSERT_EQ(scene.display_size, upright.size());
    Film film(scene, rotation, 7, pool);
    const Plane& stored = film.Expose(0).y;
    double difference = 0;
    for (int y = 0; y < stored.height(); ++y) {
      for (int x = 0; x < stored.width(); ++x) {
        // Where clockwise display carries the stored pixel.
        int up_x = stored.width() - 1 - x;
        int up_y = stored.height() - 1 - y;
        if (rotation == 90) up_x = stored.height() - 1 - y, up_y = x;
        if (rotation == 270) up_x = y, up_y = stored.width() - 1 - x;
        difference +=
            std::abs(stored.Row<std::uint8_t>(y)[x] - upright.Row<std::uint8_t>(up_y)[up_x]);
      }
    }
    // Only the sensor's noise differs.
    EXPECT_LT(difference / static_cast<double>(stored.size().area()), 2.5) << rotation;
  }
}

TEST(Film, StaysInLimitedRangeAndIsNoisyLikeASensor) {
  ThreadPool pool(2);
  const Scene scene = BuildScene(Turned(0));
  Film first(scene, 0, 7, pool);
  Film second(scene, 0, 8, pool);
  const Yuv420Picture& a = first.Expose(1);
  const Yuv420Picture& b = second.Expose(1);
  double squares = 0;
  for (int y = 0; y < a.y.height(); ++y) {
    for (int x = 0; x < a.y.width(); ++x) {
      const int value = a.y.Row<std::uint8_t>(y)[x];
      ASSERT_GE(value, 16);
      ASSERT_LE(value, 235);
      const double difference = value - b.y.Row<std::uint8_t>(y)[x];
      squares += difference * difference;
    }
  }
  const double sigma = std::sqrt(squares / static_cast<double>(a.y.size().area()) / 2);
  EXPECT_GT(sigma, 0.8);
  EXPECT_LT(sigma, 2.2);
}

}  // namespace
}  // namespace glint
