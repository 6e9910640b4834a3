// SPDX-License-Identifier: Apache-2.0
// The sides of a roughly known outline to a fraction of a pixel.
#pragma once

#include <absl/status/status.h>

#include <array>

#include "base/params.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// How the sides of an outline are fitted to the edges beside them. Lengths in frame pixels.
struct RefinementParams {
  /// of a side, at both ends: left out
  GLINT_PARAM(double, corner_share, 0, 0.49) = 0.06;
  /// between profiles across a side
  GLINT_PARAM(double, spacing_px, 0.1, 100) = 2;
  /// of a side: they lie farther apart when there would be more
  GLINT_PARAM(int, max_profiles, 8, 100000) = 400;
  /// between the samples of a profile
  GLINT_PARAM(double, profile_step_px, 0.1, 4) = 0.5;
  /// of a side, whose pairs are tried as lines
  GLINT_PARAM(std::size_t, max_anchors, 2, 1000) = 28;
  /// distance of the colours four samples apart on an edge (RGB)
  GLINT_PARAM(double, min_contrast, 0, 442) = 12;
  /// edges this near agree with a line
  GLINT_PARAM(double, on_line_px, 0.01, 100) = 1.2;
  /// edges farther off have no weight (Tukey)
  GLINT_PARAM(double, outlier_px, 0.01, 100) = 2.5;
  /// share of the edges that agree, or the side stays where it was
  GLINT_PARAM(double, min_support, 0, 1) = 0.25;
  /// how far the last round looks for edges
  GLINT_PARAM(double, finest_reach_px, 0.5, 100) = 3;
};

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
