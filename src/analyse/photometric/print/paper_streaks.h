// SPDX-License-Identifier: Apache-2.0
// Thin bright streaks of the print: paper, where ink broke off, or white print.
#pragma once

#include <cstdint>
#include <opencv2/core.hpp>

#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What is a thin bright streak.
struct StreakParams {
  /// by which it is brighter than what lies to either side
  GLINT_PARAM(double, min_grey, 0.1, 255) = 8;
  /// of that, by which its sides may differ: paper shows in the midst of one print
  GLINT_PARAM(double, max_side_share, 0, 100) = 1;
  /// by which they may differ in any case
  GLINT_PARAM(double, max_side_grey, 0, 255) = 0;
  /// from its middle to where that begins; it goes on for one more
  GLINT_PARAM(int, side_px, 2, 50) = 3;
  /// to either side, along the streak: it is averaged over so much
  GLINT_PARAM(int, along_px, 0, 10) = 2;
};

/// Thin bright streaks, where the albedo is brighter than on either side and these are alike: else
/// it may be a narrow white band between two prints. Other than PrintContours::streaks, which a
/// line filter's length averages, this sees dashes of a few pixels. Exact.
/// @param albedo  kS16 on the host, 1/64 grey
/// @return kU8 on the host: 0 where there is none, else the direction in which it is brightest
/// (0..kDirections-1) + 1
Plane FindPaperStreaks(const Plane& albedo, const StreakParams& params, ThreadPool& pool);

/// The directions of streaks, or of other evidence, that go with a line: a bit of each.
/// @param radians          of the line
/// @param max_turn_steps   between the two, in 180/16 degrees
std::uint16_t DirectionsNear(double radians, double max_turn_steps);

/// Whether a streak of one of those directions is at a place of the object.
/// @param streaks  of FindPaperStreaks
inline bool HasDirection(const Plane& streaks, std::uint16_t directions, cv::Point at) {
  if (!cv::Rect(0, 0, streaks.width(), streaks.height()).contains(at)) return false;
  const int streak = streaks.Row<std::uint8_t>(at.y)[at.x];
  return streak != 0 && ((directions >> (streak - 1)) & 1) != 0;
}

}  // namespace glint::photometric
