// SPDX-License-Identifier: Apache-2.0
// What a collector calls a region, by its family, shape and place.
#pragma once

#include <string_view>
#include <vector>

#include "assess/strokes.h"
#include "glint/assessment.h"
#include "glint/object_side.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// The object as seen in all views together, with its surroundings.
struct Surroundings {
  const Plane& colour;  ///< kU8x3 on the host; empty: not known
  int margin_px = 0;    ///< around the object on every side
};

/// By what thin lines are told apart. Chosen on labelled scans (docs/definitions.md): no crease was
/// as narrow as the widest scratch that is called one, no scratch as broad as the narrowest crease
/// that is called one, and between those two nothing that is measured tells them apart.
struct LineNameParams {
  double min_crease_width = 0.0085;  ///< of the root of the object's area: as broad is a fold
  double min_crease_width_px = 5;    ///< and at least so: the marks of narrow lines are no finer
  double max_scratch_width = 0.005;  ///< likewise: as narrow is a scratch, inside the surface
  double at_edge = 0.02;             ///< of the shorter side: a line that ends this near reaches it
};

/// What an object is, and which side of it is shown.
struct NamedObject {
  std::string_view item_type;
  Size size;
  ObjectSide side = ObjectSide::kFront;
};

/// Names one stroke of a region, by these rules, the first that fits:
/// - the good copy's family: stain or fading as the region's kind says;
/// - the outline's family: a tear where it is long, narrow and leads inwards from one side; in a
///   corner a worn corner where most of it is unlike the surroundings, else a missing corner;
///   elsewhere a missing piece;
/// - lines of an unprinted surface: a crack;
/// - a comic's line that is short, lies at the spine and runs across it: a spine tick;
/// - what is not long: a dent;
/// - a broad line: a crease; a narrow one that reaches no edge: a scratch; others: a crease or
///   scratch (LineNameParams).
DefectName NameOf(const DefectRegion& region, const Stroke& stroke, const NamedObject& object,
                  const Surroundings& around, const LineNameParams& params = {});

/// Whether the print is gone along the line, so that paler paper shows in any light.
/// @param picture  kU8x3 on the host: the median of the views; empty: not known, so no
bool BreaksColour(const Plane& picture, const Stroke& stroke);

}  // namespace glint
