// SPDX-License-Identifier: Apache-2.0
// Print that looks like a gap of the outline.
#pragma once

#include <span>

#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/outline/outline_params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Gives gaps back to the object that show its print. Through a gap of something that a hand holds
/// or tilts the table shows, and moves; print of the table's colours stays on the object. Beside a
/// thick object that lies on the table this moves a little, too, as it lies deeper.
/// Of a small or thin gap little is left without its boundary: it is print only where what stays is
/// fainter than the lips of a slit.
/// What torn paper shows is no print in any case.
/// @param outline       loses those gaps
/// @param surroundings  CoherenceOfSurroundings
/// @param greys,valid   kU8 on the host: the views
void GiveBackPrintedGaps(std::span<const Plane> greys, std::span<const Plane> valid,
                         double surroundings, const PrintedGapParams& params, Outline& outline);

}  // namespace glint::photometric
