// SPDX-License-Identifier: Apache-2.0
// Whether a row of dashes is bare paper amid print, or print itself.
#pragma once

#include <opencv2/core.hpp>
#include <span>

#include "analyse/photometric/found_lines.h"
#include "analyse/photometric/paper_dashes.h"
#include "base/params.h"

namespace glint::photometric {

/// What tells lights that are painted along an edge, a cord or a seam from ink that broke off.
/// Object pixels.
struct DashRowPrintParams {
  /// from what its dashes gain over the colour of their sides to the way from there to paper
  GLINT_PARAM(double, max_turn_deg, 0, 180) = 12;
  /// of what they gain, by which their sides differ
  GLINT_PARAM(double, max_side_share, 0, 10) = 0.35;
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

/// Whether the dashes of a row turn their sides' colour towards paper, lie in the midst of one
/// print, and no contour of the print runs along the gaps between them, or beside all of the row.
/// @param row     from its first dash to its last
/// @param dashes  those of it
/// @param paper   of the same object; without its whiteness nothing is asked of contours
bool IsBarePaper(const StraightLine& row, std::span<const PaperDash> dashes,
                 const PaperDashes& paper, const DashRowPrintParams& params);

}  // namespace glint::photometric
