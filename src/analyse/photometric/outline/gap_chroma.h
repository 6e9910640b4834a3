// SPDX-License-Identifier: Apache-2.0
// Whether a gap in the outline has the hue of what lies outside of it.
#pragma once

#include <opencv2/core.hpp>

#include "analyse/photometric/outline/background.h"
#include "analyse/photometric/outline/outline_params.h"

namespace glint::photometric {

/// The gaps whose middle, clear of the blur of their lips, has other a and b than the surroundings
/// near them. Grain and shadow change how bright a table is, and by as much how vivid, but not its
/// hue: in Lab, shading scales L + 16, a and b alike (all are cube roots of what reflects). Print
/// of nearly the table's colour seldom has its hue. A gap too narrow to have a middle is not asked.
/// @param gaps    CV_8U, 0 and 255, of the object
/// @param around  the picture with its surroundings
/// @param scale   ObjectScale of the object
/// @return CV_8U, 0 and 255
cv::Mat GapsOfOtherHue(const cv::Mat& gaps, const Background& around, double scale,
                       const GapChromaParams& params);

}  // namespace glint::photometric
