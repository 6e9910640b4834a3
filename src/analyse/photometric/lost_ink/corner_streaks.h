// SPDX-License-Identifier: Apache-2.0
// Creases across a corner that need no light: they broke the ink, or raised a ridge, all along.
#pragma once

#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/print/paper_streaks.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Which lines across a corner are thin streaks, brighter than both of their sides. Object pixels.
struct CornerStreakParams {
  /// of the object's shorter side: how far from the corner a crease may meet either side
  GLINT_PARAM(double, max_leg_share, 0.01, 0.5) = 0.45;
  /// between the rim and either end, that is not asked
  GLINT_PARAM(int, start_px, 0, 50) = 5;
  /// from rim to rim: shorter ones are rounded corners
  GLINT_PARAM(int, min_length_px, 10, 10000) = 80;
  /// beside a crease, towards the corner, that is part of the object: along a gap its edge shows
  GLINT_PARAM(int, min_corner_px, 0, 1000) = 20;
  /// of a crease, from the object's sides, and ...
  GLINT_PARAM(int, min_turn_deg, 1, 45) = 20;
  /// ... from one direction that is tried to the next
  GLINT_PARAM(int, turn_step_deg, 1, 45) = 1;
  /// along it, of one print on both sides, of which one slope may lie in the shade
  GLINT_PARAM(StreakParams, streaks) = {.min_grey = 3, .max_side_grey = 25};
  /// of a streak's direction from the crease's, in 180/16 degrees
  GLINT_PARAM(double, max_streak_turn_steps, 0, 8) = 2.5;
  /// of a crease's pixels, that have a streak on them or right beside
  GLINT_PARAM(double, min_share, 0.01, 1) = 0.78;
};

/// Finds the plainest streak across each corner. Where the light hardly moves, a crease is as much
/// a part of every view as print is. But print that runs from one side of an object to the next is
/// the edge of something, with another colour on either side; what is thin, straight to the pixel,
/// brighter than the print beside it whatever that shows, and goes from rim to rim, is a crease.
/// Exact for any number of threads.
/// @param albedo   kS16 on the host, 1/64 grey
/// @param surface  kU8 on the host: not 0 where the object is looked at
/// @return the plainest first, bare ones; at most one a corner
std::vector<FoundLine> FindCornerStreaks(const Plane& albedo, const Plane& surface,
                                         const CornerStreakParams& params, ThreadPool& pool);

}  // namespace glint::photometric
