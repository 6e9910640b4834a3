// SPDX-License-Identifier: Apache-2.0
// Which four lines of a picture are the sides of the object.
#pragma once

#include <absl/status/status.h>

#include <vector>

#include "analyse/outline_lines.h"
#include "base/params.h"
#include "glint/report.h"

namespace glint {

/// Which four lines are an outline, and what it is worth. Lengths in small pixels.
struct QuadrilateralParams {
  /// of the angle between opposite sides: within 37 degrees of parallel
  GLINT_PARAM(double, max_opposite_sine, 0, 1) = 0.6;
  /// of the angle at which neighbours meet: 40 degrees at least
  GLINT_PARAM(double, min_adjacent_sine, 0, 1) = 0.64;
  /// of the picture
  GLINT_PARAM(double, min_area_share, 0, 1) = 0.05;
  /// of the picture's shorter side
  GLINT_PARAM(double, min_side_share, 0, 1) = 0.12;
  /// of the longer side: how far out a corner may lie
  GLINT_PARAM(double, max_outside_share, 0, 1) = 0.12;
  /// of a side, at both ends: no evidence is expected there
  GLINT_PARAM(double, corner_share, 0, 0.5) = 0.06;
  /// share of a side that is in the picture
  GLINT_PARAM(double, min_in_view, 0, 1) = 0.5;
  /// of every side
  GLINT_PARAM(double, min_side_support, 0, 1) = 0.3;
  /// of the outline
  GLINT_PARAM(double, min_support, 0, 1) = 0.45;
  /// candidates whose colours are compared
  GLINT_PARAM(std::size_t, max_examined, 1, 1000000) = 1000;
  /// along a side, where colours are taken
  GLINT_PARAM(int, colour_samples, 1, 1000) = 24;
  /// colours are taken this far from the side
  GLINT_PARAM(int, nearest_colour_px, 0, 100) = 3;
  /// to this far
  GLINT_PARAM(int, farthest_colour_px, 0, 100) = 6;
  /// evidence lost by a side with surroundings of its own
  GLINT_PARAM(double, unlike_surroundings_loss, 0, 1) = 0.3;
  /// distance of colours (RGB) that count as the same
  GLINT_PARAM(double, like_colour, 0, 442) = 18;
  /// of the diagonal: mean corner distance of two outlines that are one
  GLINT_PARAM(double, same_outline_share, 0, 1) = 0.01;
};

/// A possible outline of the object in one small picture.
struct OutlineCandidate {
  Quadrilateral corners{};  ///< small pixels, clockwise; may lie outside the picture
  double support = 0;       ///< 0..1: share of its sides with evidence that they part two things
  double score = 0;         ///< OutlineScore with the area as a share of the picture
};

/// What an outline is worth: large ones with much support. A candidate does not gain by reaching
/// beyond the object: twice the length at the same evidence halves the support of two sides, which
/// costs more than the area brings.
/// @param support  geometric mean over the four sides, 0..1
double OutlineScore(double support, double area);

/// The outlines that the lines of the picture allow, best first, no two nearly the same.
/// Every two pairs of opposite lines make a candidate. Its support is the evidence along its sides,
/// the parts next to the corners left out (they may be round, worn or missing), and evidence with
/// the same colours on both sides of the outline (grain of the table, say) does not count. Of
/// outlines with like support the larger one ranks first, so that a frame printed on the object is
/// not taken for its outline.
std::vector<OutlineCandidate> FindOutlines(const SmallPicture& picture, std::size_t count,
                                           const EdgeParams& edges = {},
                                           const OutlineLineParams& lines = {},
                                           const QuadrilateralParams& params = {});

}  // namespace glint
