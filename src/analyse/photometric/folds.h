// SPDX-License-Identifier: Apache-2.0
// Wide creases: two flanks that answer to the light the other way round.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "analyse/photometric/line_visibility.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What makes two lines the flanks of one crease.
struct FoldRule {
  int widest = 24;        ///< px between the ridges
  double beside = 0.7;    ///< share of the shorter one's ridge that lies beside the other
  int uneven = 4;         ///< px by which their distance varies, a tenth left out at either end
  double against = -0.3;  ///< largest correlation over the views of how they show
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
                                const FoldRule& rule);

}  // namespace glint::photometric
