// SPDX-License-Identifier: Apache-2.0
// Lines that show by the ink that they lost: ticks at the rim, and rows of dashes.
#pragma once

#include <array>
#include <vector>

#include "analyse/photometric/found_lines.h"
#include "analyse/photometric/paper_streaks.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What a row of dashes must have to be damage.
struct RowLimits {
  /// of the evidence on it
  GLINT_PARAM(double, min_mean, 0, 100) = 1.1;
  GLINT_PARAM(double, min_score, 0, 1000) = 5;
  /// of the pixels around it: what is drawn with many strokes, or written, has more
  GLINT_PARAM(double, max_crowd_share, 0, 1) = 0.07;
  /// from the object's sides: what is printed often runs along them
  GLINT_PARAM(double, min_turn_deg, 0, 45) = 6;
};

/// Which straight lines through paper streaks are damage. A line's *share* is that of its places
/// with a streak along it, its *mean* that of the evidence on it, its score share * mean *
/// sqrt(length). Object pixels.
struct BrokenInkParams {
  using Lengths = std::array<int, 4>;
  using HalfLengths = std::array<int, 3>;

  GLINT_PARAM(StreakParams, streaks);
  /// of a streak's direction from the line's, in 180/16 degrees: a dash has hardly any
  GLINT_PARAM(double, max_streak_turn_steps, 0, 8) = 2.5;
  /// of the evidence's
  GLINT_PARAM(double, max_turn_steps, 0, 8) = 1.7;
  /// of a pixel: one strong spot is no line
  GLINT_PARAM(double, max_evidence, 0.1, 100) = 4;

  /// of ticks
  GLINT_PARAM(Lengths, tick_lengths_px, 2, 500) = {14, 20, 28, 40};
  /// from the rim, where they start
  GLINT_PARAM(int, tick_start_px, 0, 50) = 2;
  /// to either side of straight inwards
  GLINT_PARAM(int, max_tick_turn_deg, 0, 80) = 40;
  /// from one direction that is tried to the next
  GLINT_PARAM(int, tick_turn_step_deg, 1, 45) = 5;
  /// from the corners: a tick does not run along the other side
  GLINT_PARAM(int, tick_corner_px, 0, 1000) = 14;
  /// of a tick: ink that is gone from most of it
  GLINT_PARAM(double, min_tick_share, 0, 1) = 0.8;
  /// of a tick, of the evidence on it
  GLINT_PARAM(double, min_tick_mean, 0, 100) = 1.3;
  /// of a tick
  GLINT_PARAM(double, min_tick_score, 0, 1000) = 6;
  /// to its parallels: print rarely comes alone
  GLINT_PARAM(HalfLengths, beside_tick_px, 1, 100) = {5, 7, 9};
  /// share of any of them
  GLINT_PARAM(double, max_beside_tick_share, 0, 1) = 0.2;
  /// beyond its end, where it must not go on: a printed line does
  GLINT_PARAM(int, beyond_tick_px, 1, 500) = 20;
  /// to either side of it there
  GLINT_PARAM(double, beyond_reach_px, 0, 50) = 3;
  /// and so much more per px
  GLINT_PARAM(double, beyond_spread, 0, 2) = 0.2;
  /// share there
  GLINT_PARAM(double, max_beyond_tick_share, 0, 1) = 0.5;

  /// directions in which rows of dashes are looked for, over 180 degrees
  GLINT_PARAM(int, row_angles, 4, 360) = 48;
  /// of a row, from its middle to its ends
  GLINT_PARAM(HalfLengths, half_lengths_px, 1, 500) = {30, 50, 80};
  /// of a row
  GLINT_PARAM(double, min_share, 0, 1) = 0.15;
  /// of any row, and of one whose dashes are plainly paper
  GLINT_PARAM(RowLimits, row);
  GLINT_PARAM(RowLimits, plain_row) = {
      .min_mean = 0.85, .min_score = 4, .max_crowd_share = 0.09, .min_turn_deg = 0};
  /// by which plain dashes are brighter than the brighter of what lies to either side, on average
  GLINT_PARAM(double, min_plain_grey, 0, 255) = 22;
  /// of that, by which they are brighter than a place between them that is dark
  GLINT_PARAM(double, min_gap_contrast_share, 0, 1) = 0.5;
  /// of the places between them, that are
  GLINT_PARAM(double, min_dark_gap_share, 0, 1) = 0.6;
  /// beside plain dashes, up to which a contour of the print is looked for that runs with them: the
  /// bright seam between a printed frame and what it holds
  GLINT_PARAM(int, contour_px, 0, 50) = 8;
  /// across such a contour, between the two places whose albedo is compared
  GLINT_PARAM(int, contour_step_px, 1, 20) = 2;
  /// between them, on average
  GLINT_PARAM(double, min_contour_grey, 0, 255) = 12;
  /// that over its deviation along the row: a contour that the row only crosses is uneven
  GLINT_PARAM(double, min_contour_evenness, 0, 100) = 2.5;
  /// added to that deviation
  GLINT_PARAM(double, contour_noise_grey, 0.01, 255) = 2;
  /// in one row: one long streak is print
  GLINT_PARAM(int, min_dashes, 1, 1000) = 4;
  /// between two dashes
  GLINT_PARAM(int, min_gap_px, 1, 100) = 3;
  /// of the row, by its longest dash
  GLINT_PARAM(double, max_dash_share, 0, 1) = 0.5;
  /// share of a parallel, of the row's
  GLINT_PARAM(double, max_beside_share, 0, 1) = 0.2;
  /// to the nearest parallel
  GLINT_PARAM(int, beside_px, 1, 100) = 5;
  /// to the farthest, on either side
  GLINT_PARAM(int, beside_end_px, 1, 100) = 13;
  /// around a row's middle, where all streaks are counted
  GLINT_PARAM(int, crowd_px, 1, 500) = 45;
  /// of the row, that has to lie on the surface
  GLINT_PARAM(double, min_inside_share, 0, 1) = 0.9;
};

/// What broken ink is looked for in. All on the host and of one size.
struct BrokenInkInput {
  Plane albedo;      ///< kS16, 1/64 grey
  Plane energy;      ///< kS32, 1/kEnergyUnit (NormaliseBySurroundings)
  Plane directions;  ///< kU8: LineEvidence::direction
  Plane surface;     ///< kU8: not 0 where the object is looked at
};

/// Finds lines whose ink is gone. Paper between ink looks the same under every light, and its own
/// contrast counts as print, so that a tick which broke the colour gives less evidence than one
/// that did not. Here it is asked for a thin bright streak instead that starts at the rim and ends
/// soon, or for dashes in a row, with none on their parallels; and for so much evidence on it as
/// print does not have.
/// @return the surest first; one line may be found more than once
std::vector<FoundLine> FindBrokenInk(const BrokenInkInput& input, const BrokenInkParams& params,
                                     ThreadPool& pool);

}  // namespace glint::photometric
