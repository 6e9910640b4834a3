// SPDX-License-Identifier: Apache-2.0
// What a collector calls a region, by its family, shape and place.
#pragma once

#include <string_view>
#include <vector>

#include "assess/strokes.h"
#include "glint/assessment.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// The object as seen in all views together, with its surroundings.
struct Surroundings {
  const Plane& colour;  ///< kU8x3 on the host; empty: not known
  int margin_px = 0;    ///< around the object on every side
};

/// Names one stroke of a region, by these rules, the first that fits:
/// - the good copy's family: stain or fading as the region's kind says;
/// - the outline's family: a tear where it is long, narrow and leads inwards from one side; in a
///   corner a worn corner where most of it is unlike the surroundings, else a missing corner;
///   elsewhere a missing piece;
/// - lines of an unprinted surface: a crack;
/// - a comic's line that is short, lies at the spine and runs across it: a spine tick;
/// - what is not long: a dent;
/// - a line that is broad, breaks the colour, or reaches an edge: a crease; else a scratch.
/// @param breaks_colour  as BreaksColour says
DefectName NameOf(const DefectRegion& region, const Stroke& stroke, bool breaks_colour,
                  std::string_view item_type, Size object, const Surroundings& around);

/// Whether the print is gone along the line, so that paler paper shows in any light.
/// @param picture  kU8x3 on the host: the median of the views; empty: not known, so no
bool BreaksColour(const Plane& picture, const Stroke& stroke);

}  // namespace glint
