// SPDX-License-Identifier: Apache-2.0
// Contours of the print that run along a row of dashes.
#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lost_ink/dash_measures.h"
#include "base/params.h"

namespace glint::photometric {

/// What tells lights that are painted along an edge, a cord or a seam from ink that broke off.
/// Object pixels.
struct DashRowPrintParams {
  /// of a dash beyond its ends, which is no gap
  GLINT_PARAM(double, end_px, 0, 20) = 1.5;
  /// of the gaps together: fewer say nothing
  GLINT_PARAM(int, min_gaps_px, 1, 1000) = 6;
  /// across, to either side, where a contour would run along the gaps
  GLINT_PARAM(int, reach_px, 1, 50) = 5;
  /// across, to either side, from where on a contour would run along all of a row: an outline ...
  GLINT_PARAM(int, near_px, 1, 50) = 4;
  /// ... to there
  GLINT_PARAM(int, far_px, 1, 50) = 10;
  /// across, between the two places whose whiteness is compared
  GLINT_PARAM(int, step_px, 1, 20) = 2;
  /// between them, on average over the places where a contour would run: one ...
  GLINT_PARAM(double, min_step_grey, 0, 255) = 16;
  /// ... that is the same all along them: over its deviation
  GLINT_PARAM(double, min_evenness, 0, 100) = 0.8;
  /// added to that deviation
  GLINT_PARAM(double, noise_grey, 0.01, 255) = 4;
};

/// Whether a contour of the print runs along the gaps between the dashes of a row, or beside all of
/// it: then they are lights that are painted along an edge.
/// @param row        from its first dash to its last
/// @param dashes     those of it
/// @param whiteness  CV_8U, WhitenessOf; empty: nothing is known of the print
bool HasContour(const StraightLine& row, std::span<const PaperDash> dashes,
                const cv::Mat& whiteness, const DashRowPrintParams& params);

}  // namespace glint::photometric
