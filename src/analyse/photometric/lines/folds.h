// SPDX-License-Identifier: Apache-2.0
// Wide creases: two flanks that answer to the light the other way round.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "analyse/photometric/lines/line_visibility.h"
#include "base/params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What makes two lines the flanks of one crease.
struct FoldParams {
  /// between the ridges
  GLINT_PARAM(int, min_distance_px, 1, 200) = 2;
  /// between the ridges
  GLINT_PARAM(int, max_distance_px, 1, 200) = 24;
  /// of 16 that their directions may differ by
  GLINT_PARAM(int, same_direction_steps, 0, 8) = 1;
  /// of the shorter one's ridge that lies beside the other
  GLINT_PARAM(double, beside_share, 0, 1) = 0.7;
  /// by which their distance varies,
  GLINT_PARAM(int, max_unevenness_px, 0, 200) = 4;
  /// with so many of the distances left out at either end
  GLINT_PARAM(int, trimmed_percent, 0, 49) = 10;
  /// over the views of how they show
  GLINT_PARAM(double, max_correlation, -1, 1) = -0.3;
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
