// SPDX-License-Identifier: Apache-2.0
// Ticks: short straight lines that start at the rim, found by what lies beside them along the rim.
#pragma once

#include <array>
#include <vector>

#include "analyse/photometric/evidence/line_response.h"
#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lines/print_along.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Which short lines at the rim are ticks, by their LineResponse. Object pixels; grey values.
struct RimTickParams {
  using Lengths = std::array<int, 3>;

  /// of ticks, from where they start
  GLINT_PARAM(Lengths, lengths_px, 4, 500) = {18, 26, 36};
  /// of the object, from the tick's side to the other: none is longer
  GLINT_PARAM(double, max_length_share, 0, 1) = 0.12;
  /// from the rim, where they start
  GLINT_PARAM(int, start_px, 0, 50) = 4;
  /// to either side of straight inwards
  GLINT_PARAM(int, max_turn_deg, 0, 60) = 24;
  /// from one direction that is tried to the next
  GLINT_PARAM(int, turn_step_deg, 1, 45) = 4;
  /// from the corners: a tick does not run along the other side
  GLINT_PARAM(int, corner_px, 0, 1000) = 14;
  /// along the rim to either side: the lines that a line is compared with
  GLINT_PARAM(int, beside_px, 10, 1000) = 80;
  /// of a tick
  GLINT_PARAM(double, min_score, 0, 100) = 3.35;
  /// of one of its first two thirds: a contour that begins farther in is no tick
  GLINT_PARAM(double, min_start_score, 0, 100) = 2.9;
  /// of one whose ink is gone, a thin streak brighter than both of its sides: that is not print
  GLINT_PARAM(double, min_streak_score, 0, 100) = 3.3;
  /// by which it is
  GLINT_PARAM(double, min_streak_grey, 0, 255) = 4;
  /// of a streak that the light shows from its start on, be it a faint one: two signs in one place
  GLINT_PARAM(double, min_lit_streak_score, 0, 100) = 2.75;
  /// of one of its first two thirds
  GLINT_PARAM(double, min_lit_start_score, 0, 100) = 2.4;
  /// by which it is brighter
  GLINT_PARAM(double, min_lit_streak_grey, 0, 255) = 2;
  /// of a tick that print runs with: a contour that merely comes near is less even along it
  GLINT_PARAM(PrintAlongParams, print) = {.evenness_range = 10};
  /// from a tick's direction to that of a contour of the print that starts near it
  GLINT_PARAM(int, near_turn_deg, 0, 60) = 14;
  /// from one that is tried to the next
  GLINT_PARAM(int, near_turn_step_deg, 1, 45) = 2;
  /// along the rim, from where a tick starts to where such a contour does
  GLINT_PARAM(int, near_px, 0, 50) = 6;
  /// from one place that is tried to the next
  GLINT_PARAM(int, near_step_px, 1, 50) = 2;
  /// of a contour's step or stroke, on average
  GLINT_PARAM(double, min_near_grey, 0, 255) = 12;
  /// that over its deviation along the contour
  GLINT_PARAM(double, min_near_evenness, 0, 100) = 6;
  /// of min_score, more that is asked beside a contour: its codec's smear starts where a tick does
  GLINT_PARAM(double, near_cost, 0, 10) = 0.25;
  /// the same per 100 grey of that contour, if it is more
  GLINT_PARAM(double, near_contrast_cost, 0, 10) = 0.36;
  /// of a stretch of the rim that a finger covers: so far to its sides its shadow may fall
  GLINT_PARAM(double, shadow_share, 0, 10) = 0.75;
  /// of the score asked for, more there
  GLINT_PARAM(double, shadow_cost, 0, 10) = 0.3;
  /// of the score asked for, more at that turn, and as its square before: a spine breaks across
  GLINT_PARAM(double, turn_cost, 0, 10) = 0.2;
  /// of the score asked for, more at the shorter sides: what is bound is so at a long one
  GLINT_PARAM(double, short_side_cost, 0, 10) = 0.25;
  /// along the rim, between ticks: of nearer ones the stronger counts
  GLINT_PARAM(int, apart_px, 1, 200) = 10;
};

/// Finds ticks. A tick is too short for what decides lines elsewhere, and its lost ink looks like
/// print; but it starts at the rim and runs inwards, and the lines beside it along the rim show the
/// same gloss in the same view without it.
/// @param response  of the views
/// @param albedo    kS16 on the host, 1/64 grey
/// @return the surest first, none near another
std::vector<FoundLine> FindRimTicks(const LineResponse& response, const Plane& albedo,
                                    const RimTickParams& params, ThreadPool& pool);

}  // namespace glint::photometric
