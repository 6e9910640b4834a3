// SPDX-License-Identifier: Apache-2.0
// Colours that light may have made of each other.
#pragma once

#include <algorithm>
#include <opencv2/core/matx.hpp>

namespace glint {

/// How far a colour is from all that light makes of another one: light scales it, gloss adds white.
/// A grey is like everything. @param max_light_ratio  by which light may scale it
/// @return distance in RGB
inline double UnlikeInAnyLight(const cv::Vec3f& colour, const cv::Vec3f& other,
                               double max_light_ratio) {
  const auto without_white = [](const cv::Vec3f& c) {
    const float mean = (c[0] + c[1] + c[2]) / 3;
    return cv::Vec3f(c[0] - mean, c[1] - mean, c[2] - mean);
  };
  const cv::Vec3f hue = without_white(colour);
  const cv::Vec3f base = without_white(other);
  const double gain = std::max(0.0, static_cast<double>(hue.dot(base))) /
                      std::max(1.0, static_cast<double>(base.dot(base)));
  return cv::norm(hue - base * static_cast<float>(std::min(gain, max_light_ratio)));
}

}  // namespace glint
