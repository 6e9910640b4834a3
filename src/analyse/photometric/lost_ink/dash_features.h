// SPDX-License-Identifier: Apache-2.0
// The numbers by which the model of lost ink tells dashes of paper from print.
#pragma once

#include <array>
#include <opencv2/core.hpp>
#include <span>
#include <vector>

#include "analyse/photometric/lost_ink/dash_measures.h"

namespace glint::photometric {

inline constexpr int kDashFeatures = 36;

/// Of one dash; bench/lost_ink/README.md lists them in their order. What lies on one of its sides
/// or beyond one of its ends counts the same as on the other: a dash has no direction of its own.
using DashFeatures = std::array<float, kDashFeatures>;

/// Describes dashes to the model (dash_model.h). What it measures with is constant, and the model
/// has learned with the defaults of DashRidgeParams, DashMeasureParams and
/// CandidateDashParams::pixels: to change one of these is to fit it anew. Plain arithmetic in a
/// fixed order.
/// @param dashes     all that are found on the object: each also counts those around it
/// @param whiteness  CV_8U, WhitenessOf, of the same object
/// @param paper      R, G, B of its paper
std::vector<DashFeatures> DescribeDashes(std::span<const MeasuredDash> dashes,
                                         const cv::Mat& whiteness, const cv::Vec3d& paper);

}  // namespace glint::photometric
