// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

namespace glint::photometric {

/// The picture around the object, and how much each pixel looks like it.
struct Surroundings {
  cv::Mat ring;      ///< CV_8U, 0 and 255: pixels just outside the quadrilateral
  cv::Mat distance;  ///< CV_32F: squared distance to the colours of the nearest stretch of the
                     ///< ring, in their spreads, summed over L, a and b
};

/// @param colour  CV_8UC3, R, G, B, with kSurroundings pixels around the object
/// @param scale   ObjectScale of the object
Surroundings CompareWithSurroundings(const cv::Mat& colour, double scale);

}  // namespace glint::photometric
