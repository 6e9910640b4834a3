// SPDX-License-Identifier: Apache-2.0
// Steps of bare paper across the margins of a page: where a fold begins and ends.
#pragma once

#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "base/params.h"

namespace glint::photometric {

/// What is a step of a margin. Object pixels; "across" is along the side of the object.
struct MarginStepParams {
  /// from the side, where the margin begins: the rim itself is bent and in shadow
  GLINT_PARAM(int, from_px, 0, 100) = 4;
  /// to there: no further, or print would count
  GLINT_PARAM(int, to_px, 1, 500) = 26;
  /// across, to either side of a pixel that is bare
  GLINT_PARAM(int, bare_px, 1, 50) = 7;
  /// within that: more is print
  GLINT_PARAM(double, max_contrast_grey, 1, 255) = 20;
  /// of the object, that is no brighter than its paper
  GLINT_PARAM(double, paper_quantile, 0.5, 1) = 0.95;
  /// than that, of what is bare: shadow is, print is darker
  GLINT_PARAM(double, max_darker_grey, 0, 255) = 45;
  /// across, to either side, between which a step is taken
  GLINT_PARAM(int, side_px, 1, 20) = 3;
  /// across, around there, whose mean is taken
  GLINT_PARAM(int, mean_px, 1, 20) = 3;
  /// of a margin from its side inwards, that are bare where a step counts
  GLINT_PARAM(int, min_bare_px, 1, 100) = 8;
  /// of a side, that has so many: or it has no margin
  GLINT_PARAM(double, min_bare_share, 0, 1) = 0.6;
  /// of a step; of the two of a fold more is asked (ThroughFoldParams::min_margins_grey)
  GLINT_PARAM(double, min_step_grey, 0.1, 255) = 2;
  /// of a step, in deviations of all those of its margin
  GLINT_PARAM(double, min_deviations, 0, 100) = 6;
  /// across, to either side, where a step is the largest
  GLINT_PARAM(int, apart_px, 1, 100) = 6;
};

/// A place at which the brightness of a margin steps.
struct MarginStep {
  int across = 0;   ///< px along the side
  double grey = 0;  ///< how much brighter it is before the place than behind it
};

/// Finds the steps of two opposite margins, the left and the right one. A sheet that is folded
/// shades differently on both sides of the fold, in every view, as far as its rim; and print, which
/// could look so, keeps away from there.
/// @param albedo  CV_16S, 1/64 grey; to look at the upper and the lower margin: transposed
/// @return of the left margin, and of the right one: by where they are; empty where a margin is not
///         bare
std::pair<std::vector<MarginStep>, std::vector<MarginStep>> FindMarginSteps(
    const cv::Mat& albedo, const MarginStepParams& params);

}  // namespace glint::photometric
