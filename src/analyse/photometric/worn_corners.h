// SPDX-License-Identifier: Apache-2.0
// Corners worn down to the paper.
#pragma once

#include <absl/status/statusor.h>

#include "base/params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What decides that a corner is worn. Lengths in px grow with the object, but for depths of
/// starts.
struct WornCornerParams {
  /// of a side that belong to the corner
  GLINT_PARAM(double, corner_px, 0, 10000) = 60;
  /// of a side whose further part tells the rim's colour
  GLINT_PARAM(double, compared_px, 0, 10000) = 180;
  /// from the outline inwards: so far a corner is compared
  GLINT_PARAM(double, rim_depth_px, 0, 1000) = 14;
  /// from the outline: nearer, the background shines through
  GLINT_PARAM(float, rim_start_px, 0, 1000) = 2;
  /// the same for the rim's colour, which must be clean
  GLINT_PARAM(float, reference_start_px, 0, 1000) = 4;
  /// that tell the rim's colour
  GLINT_PARAM(int, min_reference_pixels, 1, 1000000) = 50;
  /// of it, 8-bit Lab
  GLINT_PARAM(double, max_spread_lab, 0, 255) = 6;
  /// from it, 8-bit Lab
  GLINT_PARAM(double, min_difference_lab, 0, 441) = 18;
  /// from it, in its spread
  GLINT_PARAM(double, min_difference_spreads, 0, 100) = 5;
  /// of a worn corner
  GLINT_PARAM(int, min_worn_pixels, 1, 1000000) = 12;
};

/// Finds pale paper showing along a corner's rim, compared with the colour of the rim further along
/// the two sides; nothing where artwork runs to the edge, so that there is no common rim colour.
/// @param colour  as for FindOutline; @param shape  of its result
/// @return kU8 on the host, 0 and 255
absl::StatusOr<Plane> FindWornCorners(const Plane& colour, const Plane& shape,
                                      const WornCornerParams& params);

}  // namespace glint::photometric
