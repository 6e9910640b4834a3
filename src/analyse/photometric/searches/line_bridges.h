// SPDX-License-Identifier: Apache-2.0
// What lies between two lines that are one.
#pragma once

#include "analyse/photometric/lines/line_paths.h"
#include "base/params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Which lines are one. Object pixels.
struct LineBridgeParams {
  /// from end to end, of each of the two
  GLINT_PARAM(int, min_length_px, 4, 10000) = 40;
  /// of a line, whose direction it goes on in
  GLINT_PARAM(int, end_px, 4, 1000) = 60;
  /// from that direction to the other line's end
  GLINT_PARAM(double, max_turn_deg, 0, 45) = 6;
  /// of the shorter line: how far apart they may be
  GLINT_PARAM(double, max_gap_share, 0, 10) = 0.6;
};

/// Bridges the gaps between lines that point at each other: one crease answers to the light, or
/// lost its ink, on either side of a place where it does not, and two that lie so by chance are
/// rare, as each has to point at the other (the good continuation of the Gestalt laws; D. G. Lowe,
/// Perceptual Organization and Visual Recognition, 1985). Of several gaps at one end the narrowest
/// is bridged.
/// @param lines  those that are kept, by their `ids`
/// @param count  Albedo::count, of their size: no bridge leads over what no view shows
/// @return kU8 on the host, 0 and 255: lines of 3 px from end to end
Plane BridgeLines(const Lines& lines, const Plane& count, const LineBridgeParams& params);

}  // namespace glint::photometric
