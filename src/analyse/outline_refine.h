// SPDX-License-Identifier: Apache-2.0
// The sides of a roughly known outline to a fraction of a pixel.
#pragma once

#include <array>

#include "analyse/outline_params.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// An outline fitted to the edges in one frame.
struct RefinedOutline {
  Quadrilateral corners{};  ///< frame pixels, clockwise
  /// Per side, from corner i to i + 1: share of the points along it, those near the corners left
  /// out, whose edge lies on the fitted line. 0 for a side that was left where it was (too few
  /// edges, or out of the frame).
  std::array<double, 4> support{};
};

/// Fits each side by a robust straight line to the strongest colour edges near it, found to
/// sub-pixel precision on profiles across the side; the corners are where the lines meet. Repeated
/// with less and less reach.
/// @param rgb      kU8x3 on the host
/// @param outline  frame pixels, convex, clockwise
/// @param reach    how far a side may be off in its middle, pixels
RefinedOutline RefineOutline(const Plane& rgb, const Quadrilateral& outline, double reach,
                             const RefinementParams& params = {});

}  // namespace glint
