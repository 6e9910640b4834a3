// SPDX-License-Identifier: Apache-2.0
// Creases across a corner that need no light: they broke the ink, or raised a ridge, all along.
#pragma once

#include <vector>

#include "analyse/photometric/found_lines.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Which lines across a corner are thin streaks, brighter than both of their sides. Object pixels;
/// grey values.
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
  /// from its middle to either side, where it is compared
  GLINT_PARAM(int, side_px, 1, 20) = 4;
  /// by which a pixel is brighter than both
  GLINT_PARAM(double, min_grey, 0, 255) = 3;
  /// by which both may differ, or by as much as it is brighter: print that is the same on both
  /// sides, where one slope of the crease lies in the shade
  GLINT_PARAM(double, max_side_grey, 0, 255) = 25;
  /// of a crease's pixels, that are so
  GLINT_PARAM(double, min_share, 0, 1) = 0.82;
  /// by which a pixel counts as brighter, or darker, at most
  GLINT_PARAM(double, most_grey, 0, 255) = 15;
  /// of all, on average
  GLINT_PARAM(double, min_mean_grey, 0, 255) = 6;
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
