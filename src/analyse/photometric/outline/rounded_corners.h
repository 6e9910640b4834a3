// SPDX-License-Identifier: Apache-2.0
// Corners that an object was cut to, as playing cards are.
#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "analyse/photometric/outline/outline_params.h"

namespace glint::photometric {

/// What is left out of a corner that is rounded: CV_8U, 0 and 255, of `size`, the corner at the top
/// left; what no circle of `radius` px that touches both sides reaches.
cv::Mat OutsideRoundedCorner(cv::Size size, int radius);

/// To which radius an object's corners were cut. A print of the table's colour, or a highlight,
/// hides what is left out of some of them, so that two have to show it: two that were worn to the
/// same large quarter of a circle are taken for cut. A corner that is blunted besides is rounder
/// than the others: the smallest radius counts that another corner has, too.
/// @param gaps   CV_8U, 0 and 255, of one size: the background in each corner, turned so that the
///               corner is at the top left
/// @param scale  ObjectScale of the object
/// @return px, from the corner's sides to the end of the arc, less than a gap's side; 0 if they
///         were not cut so
int RadiusOfRoundedCorners(std::span<const cv::Mat> gaps, double scale,
                           const RoundedCornerParams& params);

}  // namespace glint::photometric
