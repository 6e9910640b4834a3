// SPDX-License-Identifier: Apache-2.0
// How wide a line is: from the profile across it of what the views show.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What decides how far a line reaches to either side of its ridge. Object pixels.
struct WidthRule {
  int views = 16;      ///< those that show the line best at a pixel: they make its profile
  double level = 0.5;  ///< of the profile's largest value near the ridge: the line reaches to where
                       ///< less is left
  double blur = 1.3;   ///< what a line without any width reaches: half the width at half height of
                       ///< the views' own blur and of their smoothing (sigma 1.1 together)
  double least = 1;    ///< px to either side
  int farthest = 10;   ///< px to either side
  int along = 7;       ///< px along the line, to either side, that profiles are summed over
  double faint = 0.25;  ///< of the line's median strength: it ends where less is left
  int closed = 2;       ///< px: gaps in it up to twice that are filled
};

/// Lines as wide as they are.
struct DrawnLines {
  Plane mask;                  ///< kU8 on the host, 0 and 255
  std::vector<double> widths;  ///< per line, px: the mean over its ridge
};

/// Draws lines as far to either side of their ridges as their profiles reach, 3 px wide at least. A
/// profile is the sum of the residuals at a distance from the ridge over the views that show it
/// best, each times what the ridge shows in that view, with its sign: what answers to the light as
/// the line does adds up, noise does not. Where hardly anything is left of a line it ends: ridges
/// go on beyond the ends of lines, as far as the filters reach.
/// @param ids        kS32 on the host: 1.. on the ridge of a line, else 0
/// @param lines      how many there are
/// @param direction  kU8 on the host: LineEvidence::direction
/// @param residuals  kS16 on the host, one per view
/// Errors: OUT_OF_MEMORY; INTERNAL when OpenCV fails
absl::StatusOr<DrawnLines> DrawLines(const Plane& ids, std::size_t lines, const Plane& direction,
                                     std::span<const Plane> residuals, const WidthRule& rule,
                                     ThreadPool& pool);

}  // namespace glint::photometric
