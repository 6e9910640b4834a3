// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <opencv2/core.hpp>

#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/outline/outline_params.h"

namespace glint::photometric {

/// Of smoothed colours, per 8-bit unit of L, a, b.
inline constexpr int kColourUnit = 16;

/// The picture around the object, and how much each pixel looks like it.
struct Background {
  std::array<cv::Mat, 3> lab;  ///< CV_16U: L, a and b of the whole picture, smoothed, in
                               ///< 1/kColourUnit
  cv::Mat ring;                ///< CV_8U, 0 and 255: pixels just outside the quadrilateral
  cv::Mat distance;  ///< CV_32F: squared distance to the colours of the nearest stretch of the
                     ///< ring, in their spreads, summed over L, a and b
};

/// The object in a picture that has kBackgroundMargin pixels around it.
inline cv::Rect ObjectIn(cv::Size picture) {
  return {kBackgroundMargin, kBackgroundMargin, picture.width - 2 * kBackgroundMargin,
          picture.height - 2 * kBackgroundMargin};
}

/// @param colour  CV_8UC3, R, G, B, with kBackgroundMargin pixels around the object
/// @param scale   ObjectScale of the object
Background CompareWithBackground(const cv::Mat& colour, double scale,
                                 const BackgroundParams& params);

}  // namespace glint::photometric
