// SPDX-License-Identifier: Apache-2.0
// What is missing from the object's outline.
#pragma once

#include <absl/status/statusor.h>

#include "analyse/photometric/outline/outline_params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Surroundings that the median colour view shows around the object, pixels on every side.
inline constexpr int kBackgroundMargin = 24;

/// How many times larger than the objects the detector was developed on (782 px) this one is:
/// lengths of things on the object grow with it.
double ObjectScale(Size size);

/// The object's outline against its surroundings. All planes kU8 on the host, 0 and 255, object
/// coordinates.
struct Outline {
  Plane damage;   ///< gaps: tears, lost corners; drawn wider
  Plane torn;     ///< those of them that torn paper shows (torn_paper.h); empty is none
  Plane covered;  ///< what only looks like a gap: something lies over the rim in every view
  Plane body;     ///< what is object
  Plane
      shape;  ///< not object, and none missing: rounded corners, a side that was placed too far out
};

/// Finds where the surroundings show inside the quadrilateral: pixels in the colours just outside
/// the nearest stretch of the outline, connected to it. A whole side that lies off along a straight
/// line is a misfit of the quadrilateral, and what at least three of the four mirrored corners
/// share is the object's own shape; neither is damage. Gaps grow from where they are deep, and may
/// not leak into artwork of the surroundings' colour.
/// @param colour  kU8x3 on the host: median of the views in object coordinates, with
/// kBackgroundMargin
///                pixels around
/// Errors: INTERNAL another type, or an object with a side under 16 px; OUT_OF_MEMORY;
/// INTERNAL when OpenCV fails
absl::StatusOr<Outline> FindOutline(const Plane& colour, const OutlineParams& params);

}  // namespace glint::photometric
