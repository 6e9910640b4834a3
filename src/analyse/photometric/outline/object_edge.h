// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <opencv2/core.hpp>

#include "analyse/photometric/outline/outline_params.h"

namespace glint::photometric {

/// Where the object's own edge shows in front of what looks like a gap in its outline. Across a gap
/// the surroundings go on as they are; print in their colour ends at the object's edge, and even
/// where the two are alike to a few grey values, that edge is a step or a thin line over its whole
/// length. A stretch of the outline counts when such a step, averaged along it, is clearer than any
/// parallel to it in the surroundings. Narrow gaps (tears) are not asked: their lips show in them.
/// @param lab  of Background, with kBackgroundMargin pixels around the object
/// @param gap  CV_8U, 0 and 255, object pixels: what looks like the surroundings
/// @return CV_8U, 0 and 255: the gap's outermost pixels behind a visible edge
cv::Mat BehindVisibleEdge(const std::array<cv::Mat, 3>& lab, const cv::Mat& gap,
                          const ObjectEdgeParams& params);

}  // namespace glint::photometric
