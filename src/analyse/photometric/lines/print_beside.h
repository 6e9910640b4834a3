// SPDX-License-Identifier: Apache-2.0
// Whether print runs along a line, more than along its parallels.
#pragma once

#include <span>

#include "base/params.h"

namespace glint::photometric {

/// By the step of a line: how much the albedo differs between its sides, without a sign, on average
/// along it. Object pixels.
struct PrintBesideParams {
  /// to either side, between which a step is taken
  GLINT_PARAM(int, side_px, 1, 20) = 2;
  /// to either side of a line, where the largest step is its own
  GLINT_PARAM(int, near_px, 0, 50) = 3;
  /// to either side, from where on the parallels count
  GLINT_PARAM(int, beside_from_px, 1, 100) = 8;
  /// to there
  GLINT_PARAM(int, beside_px, 2, 500) = 40;
  /// added to the median of their steps
  GLINT_PARAM(double, noise_grey, 0.1, 255) = 4;
  /// of that, a line's own step at most: more is the edge of a row of letters
  GLINT_PARAM(double, max_own_ratio, 0, 100) = 1.6;
  /// of the parallels' steps
  GLINT_PARAM(double, straight_quantile, 0.5, 1) = 0.9;
  /// of that median, these at most: more is a straight border nearby, whose smear a line may be
  GLINT_PARAM(double, max_straight_ratio, 0, 100) = 3;
};

/// Whether print runs along a line, or close to it.
/// @param steps  of lines side by side, a pixel from one to the next, grey
/// @param at     which of them the line is
bool RunsWithPrint(std::span<const double> steps, int at, const PrintBesideParams& params);

}  // namespace glint::photometric
