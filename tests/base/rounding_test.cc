// SPDX-License-Identifier: Apache-2.0
#include "base/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace glint {
namespace {

TEST(RoundToInt, IsThatOfTheStandardLibraryAlsoBesideAHalf) {
  for (const double value : {0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1e9 + 0.5, -1e9 - 0.5}) {
    for (const double to : {-INFINITY, INFINITY}) {
      const double beside = std::nextafter(value, to);
      EXPECT_EQ(RoundToInt(value), std::lround(value)) << value;
      EXPECT_EQ(RoundToInt(beside), std::lround(beside)) << value;
    }
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-3000, 3000);
  for (int i = 0; i < 10000; ++i) {
    const double value = any(random);
    ASSERT_EQ(RoundToInt(value), std::lround(value)) << value;
  }
}

}  // namespace
}  // namespace glint
