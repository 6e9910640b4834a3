// SPDX-License-Identifier: Apache-2.0
// What lies over the object's rim in every view: a thumb that holds it.
#pragma once

#include <opencv2/core.hpp>

#include "analyse/photometric/outline/background.h"
#include "analyse/photometric/outline/outline_params.h"

namespace glint::photometric {

/// Finds what lies in front of the object and of the table beside it. Where it crosses the rim, the
/// surroundings are unlike the table, which goes on to both sides, and the object shows the same
/// colours as the surroundings right outside: no rim is seen there. From the rim it goes inwards as
/// far as these colours do, and is convex as fingers are. What goes on and on is print of such
/// colours, and left out; so is what ends at the rim, another thing beside the object.
/// @param around  with kBackgroundMargin pixels around the object
/// @param scale   ObjectScale of the object
/// @return CV_8U, 0 and 255, of the object's size: without margins
cv::Mat FindCoveredRim(const Background& around, double scale, const CoveredRimParams& params);

}  // namespace glint::photometric
