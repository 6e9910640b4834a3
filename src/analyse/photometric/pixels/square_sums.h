// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <opencv2/imgproc.hpp>

namespace glint::photometric {

/// Sums of a plane's values over the square around each pixel: F. Crow, "Summed-Area Tables for
/// Texture Mapping", SIGGRAPH 1984.
class SquareSums {
 public:
  /// @param values  one channel. Sums of whole numbers are exact while all of them together stay
  ///                below 2^53
  explicit SquareSums(const cv::Mat& values) { cv::integral(values, sums_, CV_64F); }

  /// The sum over the pixels up to `reach` px away in x and in y, those within the plane.
  double Around(int x, int y, int reach) const {
    const int left = std::max(x - reach, 0), right = std::min(x + reach + 1, sums_.cols - 1);
    const auto* top = sums_.ptr<double>(std::max(y - reach, 0));
    const auto* bottom = sums_.ptr<double>(std::min(y + reach + 1, sums_.rows - 1));
    return (bottom[right] - bottom[left]) - (top[right] - top[left]);
  }

 private:
  cv::Mat sums_;  // CV_64F, a row and a column more than the plane
};

}  // namespace glint::photometric
