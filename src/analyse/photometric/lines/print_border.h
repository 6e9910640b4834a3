// SPDX-License-Identifier: Apache-2.0
// Whether the border of a print runs along a line.
#pragma once

#include "analyse/photometric/lines/found_lines.h"
#include "base/params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// A border has one side brighter than the other nearly everywhere, however unevenly and however
/// faintly; print that a line only crosses has not. Object pixels.
struct PrintBorderParams {
  /// to either side of a line, where a border may be
  GLINT_PARAM(int, near_px, 0, 50) = 12;
  /// from one place where it is looked for to the next
  GLINT_PARAM(int, step_px, 1, 50) = 1;
  /// from a border to what lies beside it, whose mean is taken: beyond a thin stroke it is the same
  /// to either side
  GLINT_PARAM(int, side_begin_px, 1, 50) = 2;
  /// to there
  GLINT_PARAM(int, side_end_px, 1, 50) = 7;
  /// between both sides of a border, on average
  GLINT_PARAM(double, min_step_grey, 0, 255) = 5;
  /// of a line, where the side that is brighter as a whole is it: more is a border
  GLINT_PARAM(double, max_one_sided_share, 0.5, 1) = 0.89;
};

/// Whether a border of the print runs along all of a line, or close to it.
/// @param albedo  kS16 on the host, 1/64 grey; beyond its rim the same as there
bool RunsAlongBorder(const StraightLine& line, const Plane& albedo,
                     const PrintBorderParams& params);

}  // namespace glint::photometric
