// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

#include "analyse/photometric/outline/outline_params.h"

namespace glint::photometric {

/// Tears that show by the paper along them. Where print is torn, the white of the paper's inside
/// stands on both sides of the gap, and what lies between is in the sheet's own shadow: much darker
/// than the table, so that its colour says nothing. A tear is a gap between two such edges, dark,
/// that begins at a side and closes inwards. What is printed does not: it goes on as wide as it is.
/// Where it begins in a margin of bare paper, which print does not cross, and is as dark as a deep
/// shadow, its edges may have any colour.
/// @param colour  CV_8UC3, R, G, B: the object
/// @param scale   ObjectScale of the object
/// @return CV_8U, 0 and 255: the gaps
cv::Mat FindTornPaper(const cv::Mat& colour, double scale, const TornPaperParams& params);

}  // namespace glint::photometric
