// SPDX-License-Identifier: Apache-2.0
// Wide creases: two flanks that answer to the light the other way round.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "analyse/photometric/line_visibility.h"
#include "base/params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What makes two lines the flanks of one crease.
struct FoldParams {
  int min_distance_px = 2;        ///< between the ridges
  int max_distance_px = 24;       ///< between the ridges
  int same_direction_steps = 1;   ///< of 16 that their directions may differ by
  double beside_share = 0.7;      ///< of the shorter one's ridge that lies beside the other
  int max_unevenness_px = 4;      ///< by which their distance varies,
  int trimmed_percent = 10;       ///< with so many of the distances left out at either end
  double max_correlation = -0.3;  ///< over the views of how they show

  GLINT_PARAMS(self, visit) {
    visit("min_distance_px", self.min_distance_px, 1, 200);
    visit("max_distance_px", self.max_distance_px, 1, 200);
    visit("same_direction_steps", self.same_direction_steps, 0, 8);
    visit("beside_share", self.beside_share, 0, 1);
    visit("max_unevenness_px", self.max_unevenness_px, 0, 200);
    visit("trimmed_percent", self.trimmed_percent, 0, 49);
    visit("max_correlation", self.max_correlation, -1, 1);
  }
};

/// What lies between the flanks of a crease. Where the light falls on one side of a fold the other
/// lies in the shade, so that its flanks differ from their surroundings in opposite ways, view by
/// view; two scratches side by side answer alike.
/// @param ids        kS32 on the host: 1.. on the ridge of a line, else 0
/// @param direction  kU8 on the host: LineEvidence::direction
/// @param views      per view, per line
/// @return kU8 on the host, 0 and 255
/// Errors: OUT_OF_MEMORY; INTERNAL when OpenCV fails
absl::StatusOr<Plane> FillFolds(const Plane& ids, const Plane& direction,
                                std::span<const std::vector<LineVisibility>> views,
                                const FoldParams& params);

}  // namespace glint::photometric
