// SPDX-License-Identifier: Apache-2.0
// Ticks at the rim that show by the ink that they lost.
#pragma once

#include <array>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/print/paper_streaks.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Which straight lines along paper streaks are ticks. A line's *share* is that of its places
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
};

/// What broken ink is looked for in. All on the host and of one size.
struct BrokenInkInput {
  Plane albedo;      ///< kS16, 1/64 grey
  Plane energy;      ///< kS32, 1/kEnergyUnit (NormaliseBySurroundings)
  Plane directions;  ///< kU8: LineEvidence::direction
  Plane surface;     ///< kU8: not 0 where the object is looked at
};

/// Finds ticks whose ink is gone. Paper between ink looks the same under every light, and its own
/// contrast counts as print, so that a tick which broke the colour gives less evidence than one
/// that did not. Here it is asked for a thin bright streak instead that starts at the rim and ends
/// soon, with none on its parallels; and for so much evidence on it as print does not have.
/// @return the surest first; one tick may be found more than once
std::vector<FoundLine> FindBrokenInk(const BrokenInkInput& input, const BrokenInkParams& params,
                                     ThreadPool& pool);

}  // namespace glint::photometric
