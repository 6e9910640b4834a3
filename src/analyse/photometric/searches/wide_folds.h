// SPDX-License-Identifier: Apache-2.0
// Folds that are too wide for the search for lines: the same search on smaller pictures.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/params.h"
#include "glint/plane.h"
#include "glint/stored_plane.h"

namespace glint::photometric {

/// A fold of a few degrees is a roof: over tens of pixels one side shines where the other lies in
/// the shade. The windows in which light is fitted are narrower, and take each side for light.
struct WideFoldParams {
  /// times by which views are made smaller to look again; 1: they are not
  GLINT_PARAM(int, shrink, 1, 16) = 2;
  /// of a small view, either side: less is not looked at
  GLINT_PARAM(int, min_side_px, 64, 10000) = 96;
  /// times the score asked of a path at full size; long lines need no more
  GLINT_PARAM(double, evidence_cost, 0, 10) = 2.0;
  /// of a path in a small view
  GLINT_PARAM(double, min_length_px, 0, 10000) = 12;
  /// around what is marked at a larger size: it is known
  GLINT_PARAM(int, known_px, 0, 100) = 6;
  /// of a path that is known: with more it is no fold of its own
  GLINT_PARAM(double, max_known_share, 0, 1) = 0.3;
  /// across a path, to either side: where its two slopes are looked for in a small view
  GLINT_PARAM(int, reach_px, 2, 50) = 14;
  /// from one slope to the other, at least
  GLINT_PARAM(int, min_apart_px, 1, 50) = 6;
  /// of how the two slopes answer to the light over the views, over the stronger one's variance: at
  /// -1 one is lit as much as the other is shaded
  GLINT_PARAM(double, max_slope_covariance, -1, 1) = -0.88;
  /// of a slope's answer over the views: fainter ones say nothing
  GLINT_PARAM(double, min_slope_deviation_grey, 0, 255) = 0.25;
};

/// A plane whose pixels are the means of `factor` x `factor` pixels, rounded; what does not fill a
/// pixel at the right and below is left out. Exact.
/// @param plane  kU8 on the host
Plane ShrunkGrey(const Plane& plane, int factor);

/// The same of a mask: 255 where it is not 0 in all of a pixel, else 0.
Plane ShrunkMask(const Plane& mask, int factor);

/// Adds a mask of a small view to one of the full size.
/// @param mask,small  kU8 on the host, 0 and 255
void AddEnlarged(const Plane& small, int factor, Plane& mask);

/// Which of a small view's lines are not known by what is marked at full size.
/// @param ids     kS32 on the host: 1.. on the lines' ridges, else 0
/// @param marked  kU8 on the host, at full size
std::vector<bool> NewLines(const Plane& ids, std::size_t count, int factor, const Plane& marked,
                           const WideFoldParams& params);

/// Unchooses lines that are no folds: a fold has two slopes, of which one is lit where the other is
/// shaded. Contours of the print, and the tracks of lamps, have none.
/// @param ids         kS32 on the host: 1.. on the lines' ridges, else 0
/// @param directions  kU8 on the host: LineEvidence::direction
/// @param residuals   kS16 on the host, one per view
/// @param chosen      by line
void KeepFolds(const Plane& ids, const Plane& directions, std::span<const StoredPlane> residuals,
               const WideFoldParams& params, std::vector<bool>& chosen);

}  // namespace glint::photometric
