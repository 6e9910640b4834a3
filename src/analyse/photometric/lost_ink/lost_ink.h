// SPDX-License-Identifier: Apache-2.0
// Paper that shows along a line where its ink broke off.
#pragma once

#include "analyse/photometric/print/print_contours.h"
#include "base/params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// How far from a line's ridge a bright streak may lie to be of that line. Object pixels.
struct LostInkParams {
  /// to either side
  GLINT_PARAM(int, across_px, 0, 50) = 5;
  /// to either side
  GLINT_PARAM(int, along_px, 0, 50) = 6;
};

/// What shows as a thin bright streak beside a line and in its direction: a crease breaks the ink
/// open, and paper looks the same under every light.
/// @param ids         kS32 on the host: not 0 on the ridge of a line
/// @param directions  kU8 on the host: LineEvidence::direction
/// @return kU8 on the host, 0 and 255
Plane FindLostInk(const Plane& ids, const Plane& directions, const PrintContours& print,
                  const LostInkParams& params);

}  // namespace glint::photometric
