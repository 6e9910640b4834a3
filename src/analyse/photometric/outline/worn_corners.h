// SPDX-License-Identifier: Apache-2.0
// Corners worn down to the paper.
#pragma once

#include <absl/status/statusor.h>

#include "analyse/photometric/outline/outline_params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Finds pale paper showing along a corner's rim, compared with the colour of the rim further along
/// the two sides; nothing where artwork runs to the edge, so that there is no common rim colour.
/// @param colour  as for FindOutline; @param shape  of its result
/// @return kU8 on the host, 0 and 255
absl::StatusOr<Plane> FindWornCorners(const Plane& colour, const Plane& shape,
                                      const WornCornerParams& params);

}  // namespace glint::photometric
