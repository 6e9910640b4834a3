// SPDX-License-Identifier: Apache-2.0
// Whether a gap in the outline ends at an edge.
#pragma once

#include <array>
#include <opencv2/core.hpp>

#include "analyse/photometric/outline/outline_params.h"

namespace glint::photometric {

/// The gaps that end at no edge. Where something is gone, the surroundings meet the object's print
/// at an edge; where the print itself is of the surroundings' colour, what looks like them ends
/// somewhere within the print.
/// @param gaps  CV_8U, 0 and 255, of the object
/// @param lab   CV_16U: L, a and b of the object, smoothed, in 1/kColourUnit
/// @return CV_8U, 0 and 255
cv::Mat GapsWithoutEdge(const cv::Mat& gaps, const std::array<cv::Mat, 3>& lab,
                        const GapEdgeParams& params);

}  // namespace glint::photometric
