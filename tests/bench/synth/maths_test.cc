// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/maths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bench/synth/random.h"

namespace glint {
namespace {

TEST(Maths, SineIsTheSine) {
  for (int i = -219; i <= 219; ++i) {
    const double turns = 0.0137 * i;
    EXPECT_NEAR(Sine(turns), std::sin(2 * std::numbers::pi * turns), 1e-8) << turns;
    EXPECT_NEAR(Cosine(turns), std::cos(2 * std::numbers::pi * turns), 1e-8) << turns;
  }
}

TEST(Maths, BellIsTheBellCurve) {
  EXPECT_EQ(Bell(0), 1);
  for (int i = -40; i <= 40; ++i) {
    const double x = 0.1 * i;
    const double exact = std::exp(-x * x / 2);
    EXPECT_NEAR(Bell(x), exact, 0.04 * exact) << x;
  }
  EXPECT_EQ(Bell(100), 0);
}

TEST(Maths, NoiseFillsTheUnitIntervalSmoothlyAndRepeatsAsAsked) {
  double low = 1;
  double high = 0;
  for (int i = 0; i < 4000; ++i) {
    const double x = i * 0.053;
    const double value = ValueNoise(x, 0.3 * x, 7);
    low = std::min(low, value);
    high = std::max(high, value);
    EXPECT_NEAR(ValueNoise(x + 1e-4, 0.3 * x, 7), value, 1e-3);
    EXPECT_NEAR(FractalNoise(x + 8, x - 16, 7, 3, 8, 16), FractalNoise(x, x, 7, 3, 8, 16), 1e-9);
  }
  EXPECT_GE(low, 0);
  EXPECT_LE(high, 1);
  EXPECT_LT(low, 0.1);
  EXPECT_GT(high, 0.9);
}

TEST(Random, DrawsWithinItsBoundsAndReachesThem) {
  Random random(1, 2);
  bool low = false;
  bool high = false;
  for (int i = 0; i < 1000; ++i) {
    const int value = random.Integer(-2, 3);
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 3);
    low |= value == -2;
    high |= value == 3;
    const double share = random.Uniform(2, 4);
    ASSERT_GE(share, 2);
    ASSERT_LT(share, 4);
  }
  EXPECT_TRUE(low && high);
  EXPECT_NE(Random(1, 2).Bits(), Random(1, 3).Bits());
  EXPECT_NE(Random(1, 2).Bits(), Random(2, 2).Bits());
}

}  // namespace
}  // namespace glint
