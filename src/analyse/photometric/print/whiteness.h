// SPDX-License-Identifier: Apache-2.0
// Whiteness: how much of paper a pixel shows.
#pragma once

#include <opencv2/core.hpp>

namespace glint::photometric {

/// The least of each pixel's three channels: paper has much of it under any light, and ink of any
/// colour has little. CV_8U.
/// @param colour  CV_8UC3
cv::Mat WhitenessOf(const cv::Mat& colour);

/// The whiteness that a share of the pixels of a mask does not exceed; 255 where there are none.
/// @param mask  CV_8U, of that size: not 0 where they are
int WhitenessOfShare(double share, const cv::Mat& whiteness, const cv::Mat& mask);

}  // namespace glint::photometric
