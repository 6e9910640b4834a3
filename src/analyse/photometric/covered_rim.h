// SPDX-License-Identifier: Apache-2.0
// What lies over the object's rim in every view: a thumb that holds it.
#pragma once

#include <opencv2/core.hpp>

#include "analyse/photometric/background.h"
#include "analyse/photometric/outline_params.h"

namespace glint::photometric {

/// Of the gaps in an outline, those of another colour than the surroundings have further along the
/// rim. Where a piece is missing, the table shows, and goes on to both sides of the gap; a thumb
/// ends with the gap, and looks like the surroundings only right in front of it.
/// @param gaps    CV_8U, 0 and 255: of the object
/// @param around  with kBackgroundMargin pixels around the object
/// @param scale   ObjectScale of the object
/// @return CV_8U, 0 and 255: these gaps
cv::Mat CoveredRim(const cv::Mat& gaps, const Background& around, double scale,
                   const CoveredRimParams& params);

}  // namespace glint::photometric
