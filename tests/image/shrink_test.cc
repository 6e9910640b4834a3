// SPDX-License-Identifier: Apache-2.0
#include "image/shrink.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/plane_compare.h"

namespace glint {
namespace {

Plane Grey(Size size, std::initializer_list<int> values) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  const int* next = values.begin();
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      plane.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(*next++);
    }
  }
  return plane;
}

TEST(Shrink, LeavesSmallPicturesAlone) {
  const Plane plane = NoisePlane({30, 20}, 1);
  EXPECT_EQ(ShrinkToFit(plane, 30).data(), plane.data());
}

TEST(Shrink, TakesTheMeanOfWholePixels) {
  EXPECT_TRUE(
      SameBytes(ShrinkToFit(Grey({4, 2}, {0, 4, 10, 10, 8, 4, 10, 11}), 2), Grey({2, 1}, {4, 10})));
}

TEST(Shrink, WeighsPixelsByTheAreaThatIsCovered) {
  // Three pixels become two, each one and a half old ones wide.
  EXPECT_TRUE(SameBytes(ShrinkToFit(Grey({3, 1}, {30, 60, 120}), 2), Grey({2, 1}, {40, 100})));
}

TEST(Shrink, KeepsTheShapeAndTheChannels) {
  Plane plane = Plane::Host({4000, 3}, PixelType::kU8x3);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 12000; ++x) {
      plane.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(50 + 70 * (x % 3));
    }
  }
  const Plane small = ShrinkToFit(plane, 1000);
  EXPECT_EQ(small.size(), (Size{1000, 1}));
  for (int x = 0; x < 3000; ++x) ASSERT_EQ(small.Row<std::uint8_t>(0)[x], 50 + 70 * (x % 3));
}

TEST(Shrink, KeepsTheMeanOfAnyPicture) {
  const Plane plane = NoisePlane({97, 61}, 8);
  const Plane small = ShrinkToFit(plane, 40);
  const auto mean = [](const Plane& p) {
    double sum = 0;
    for (int y = 0; y < p.height(); ++y) {
      for (int x = 0; x < p.width(); ++x) sum += p.Row<std::uint8_t>(y)[x];
    }
    return sum / static_cast<double>(p.size().area());
  };
  EXPECT_NEAR(mean(small), mean(plane), 0.1);
}

}  // namespace
}  // namespace glint
