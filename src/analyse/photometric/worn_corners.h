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
  double corner_px = 60;              ///< of a side that belong to the corner
  double compared_px = 180;           ///< of a side whose further part tells the rim's colour
  double rim_depth_px = 14;           ///< from the outline inwards: so far a corner is compared
  float rim_start_px = 2;             ///< from the outline: nearer, the background shines through
  float reference_start_px = 4;       ///< the same for the rim's colour, which must be clean
  int min_reference_pixels = 50;      ///< that tell the rim's colour
  double max_spread_lab = 6;          ///< of it, 8-bit Lab
  double min_difference_lab = 18;     ///< from it, 8-bit Lab
  double min_difference_spreads = 5;  ///< from it, in its spread
  int min_worn_pixels = 12;           ///< of a worn corner

  GLINT_PARAMS(self, visit) {
    visit("corner_px", self.corner_px, 0, 10000);
    visit("compared_px", self.compared_px, 0, 10000);
    visit("rim_depth_px", self.rim_depth_px, 0, 1000);
    visit("rim_start_px", self.rim_start_px, 0, 1000);
    visit("reference_start_px", self.reference_start_px, 0, 1000);
    visit("min_reference_pixels", self.min_reference_pixels, 1, 1000000);
    visit("max_spread_lab", self.max_spread_lab, 0, 255);
    visit("min_difference_lab", self.min_difference_lab, 0, 441);
    visit("min_difference_spreads", self.min_difference_spreads, 0, 100);
    visit("min_worn_pixels", self.min_worn_pixels, 1, 1000000);
  }
};

/// Finds pale paper showing along a corner's rim, compared with the colour of the rim further along
/// the two sides; nothing where artwork runs to the edge, so that there is no common rim colour.
/// @param colour  as for FindOutline; @param shape  of its result
/// @return kU8 on the host, 0 and 255
absl::StatusOr<Plane> FindWornCorners(const Plane& colour, const Plane& shape,
                                      const WornCornerParams& params);

}  // namespace glint::photometric
