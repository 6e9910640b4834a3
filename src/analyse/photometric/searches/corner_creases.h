// SPDX-License-Identifier: Apache-2.0
// Creases across a corner: straight lines from one side of the object to the next.
#pragma once

#include <functional>
#include <vector>

#include "analyse/photometric/evidence/line_response.h"
#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/print_along.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Which lines across a corner are creases, by their LineResponse. Object pixels; grey values.
struct CornerCreaseParams {
  /// of the object's shorter side: how far from the corner a crease may meet either side
  GLINT_PARAM(double, max_leg_share, 0.01, 0.5) = 0.45;
  /// between the rim and either end, that is not summed
  GLINT_PARAM(int, start_px, 0, 50) = 5;
  /// from rim to rim
  GLINT_PARAM(int, min_length_px, 10, 10000) = 50;
  /// beside a crease, towards the corner, that is part of the object: along a gap its edge shows
  GLINT_PARAM(int, min_corner_px, 0, 1000) = 20;
  /// of a crease, from the object's sides, and ...
  GLINT_PARAM(int, min_turn_deg, 1, 45) = 20;
  /// ... from one direction that is tried to the next
  GLINT_PARAM(int, turn_step_deg, 1, 45) = 2;
  /// towards and away from the corner: the lines that a line is compared with
  GLINT_PARAM(int, beside_px, 10, 1000) = 60;
  /// of a crease
  GLINT_PARAM(double, min_score, 0, 100) = 3.4;
  /// of its score: lines beside it that have more are its flanks, and it lies in their midst
  GLINT_PARAM(double, min_flank_share, 0.01, 1) = 0.5;
  /// between two of them
  GLINT_PARAM(int, flank_gap_px, 0, 50) = 3;
  /// of one whose ink is gone, a thin streak brighter than both of its sides
  GLINT_PARAM(double, min_streak_score, 0, 100) = 3.4;
  /// by which it is
  GLINT_PARAM(double, min_streak_grey, 0, 255) = 4;
  /// of one with dashes of bare paper on it
  GLINT_PARAM(double, min_dashed_score, 0, 100) = 2.8;
  /// of these, DashScoreOn
  GLINT_PARAM(double, min_dashes_px, 0.1, 1000) = 8;
  /// of one with many of them; in between, in proportion
  GLINT_PARAM(double, min_many_dashed_score, 0, 100) = 2;
  /// of these
  GLINT_PARAM(double, many_dashes_px, 0.1, 1000) = 20;
  /// of a crease that print runs with
  GLINT_PARAM(PrintAlongParams, print);
};

/// What dashes of bare paper on a line add up to, DashScoreOn. Thread-safe.
using DashesOnLine = std::function<double(const StraightLine&)>;

/// Finds the surest crease across each corner. A corner that was bent leaves a line from rim to
/// rim, wide and strong: around it little is left that it could be compared with, so that evidence
/// by surroundings says little of it, and where it broke the ink it looks like print. But the lines
/// beside it, in the same direction and across the same corner, show the same light in the same
/// view without it.
/// @param response  of the views
/// @param albedo    kS16 on the host, 1/64 grey
/// @return the surest first; at most one a corner
std::vector<FoundLine> FindCornerCreases(const LineResponse& response, const Plane& albedo,
                                         const DashesOnLine& dashes,
                                         const CornerCreaseParams& params, ThreadPool& pool);

}  // namespace glint::photometric
