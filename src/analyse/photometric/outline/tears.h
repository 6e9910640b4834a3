// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>

#include "analyse/photometric/outline/outline_params.h"

namespace glint::photometric {

/// Gaps from one side inwards that are far deeper than they are wide on average: no tear, which is
/// a wedge, but a line that was printed in the surroundings' colour.
/// @param gaps  CV_8U, 0 and 255: gaps in the outline
/// @return those of them, CV_8U, 0 and 255
cv::Mat PrintedLinesAmong(const cv::Mat& gaps, const TearParams& params);

/// How a tear goes on where its lips have closed: behind the end of a narrow gap, in its direction
/// and hardly wider, what differs from the colours around it (pale fibre, a dark slit) and ends
/// before it is three times as deep (TearParams::max_continuation): what runs on is print, and so
/// is what goes on far beside it.
/// @param colour  CV_8UC3, R, G, B: the object
/// @param gaps    CV_8U, 0 and 255: gaps in its outline
/// @param scale   ObjectScale of the object
/// @return CV_8U, 0 and 255: what goes on, without the gaps
cv::Mat ContinueTears(const cv::Mat& colour, const cv::Mat& gaps, double scale,
                      const TearParams& params);

}  // namespace glint::photometric
