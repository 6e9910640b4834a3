// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/pixels/square_sums.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <opencv2/core.hpp>

namespace glint::photometric {
namespace {

/// The sum as its definition says.
double SumAround(const cv::Mat& values, int x, int y, int reach) {
  double sum = 0;
  for (int v = 0; v < values.rows; ++v) {
    for (int u = 0; u < values.cols; ++u) {
      if (std::abs(u - x) <= reach && std::abs(v - y) <= reach) sum += values.at<double>(v, u);
    }
  }
  return sum;
}

TEST(SquareSums, AreThoseOfThePixelsWithinReachAndWithinThePlane) {
  cv::Mat values(9, 13, CV_64F);
  cv::RNG(5).fill(values, cv::RNG::UNIFORM, 0, 1000);
  const SquareSums sums(values);
  for (const int reach : {0, 1, 3, 20}) {
    for (int y = 0; y < values.rows; ++y) {
      for (int x = 0; x < values.cols; ++x) {
        EXPECT_NEAR(sums.Around(x, y, reach), SumAround(values, x, y, reach), 1e-6);
      }
    }
  }
}

TEST(SquareSums, OfWholeNumbersAreExactUpTo2To53) {
  const double large = 4503599627370495.0;  // 2^52 - 1
  const cv::Mat values = (cv::Mat_<double>(1, 3) << large, 1, 0);
  const SquareSums sums(values);
  EXPECT_EQ(sums.Around(0, 0, 1), large + 1);
  EXPECT_EQ(sums.Around(2, 0, 1), 1);
}

}  // namespace
}  // namespace glint::photometric
