// SPDX-License-Identifier: Apache-2.0
// The damages one by one. Each changes the surface, and marks the pixels that it visibly touches
// with `id` in `ids` (kU8, the object's size). Lengths are in object pixels unless said otherwise.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/synth/canvas.h"
#include "bench/synth/random.h"
#include "bench/synth/surface.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

enum class Severity { kLight, kMedium, kHeavy };

/// A line of damage: a path of points at most half a pixel apart.
using DamagePath = std::vector<Point>;

/// A bent, slightly wavy path from one point to another.
/// @param bend     how far its middle lies beside the straight line, share of the length
/// @param wobble   pixels
DamagePath BentPath(Point from, Point to, double bend, double wobble, Random& random);

/// How a line of damage looks in its cross-section.
struct LineProfile {
  double sigma = 1;        ///< half width of the bump
  double height = 0;       ///< of the bump, pixels; negative for a groove
  double skew = 0;         ///< share of the height that stays on one side as a step
  double label_half = 2;   ///< half width of what the mask marks
  double core_half = 0;    ///< half width of the broken ink
  double broken = 0;       ///< share of the length where the ink is broken
  bool fade_start = true;  ///< whether it grows from nothing at its ends
  bool fade_end = true;
};

/// Draws the line into relief and ink.
void PressLine(Surface& surface, const Plane& ids, int id, const DamagePath& path,
               const LineProfile& profile, Random& random);

/// A gap from the edge inwards, with pale fibres on its lips. The first point is on the edge.
void Tear(Surface& surface, const Plane& ids, int id, const DamagePath& path, double gap_half,
          Random& random);

/// Which corner: 0 TL, 1 TR, 2 BR, 3 BL. Takes the piece with legs `along_x` and `along_y` off.
void BreakOffCorner(Surface& surface, const Plane& ids, int id, int corner, double along_x,
                    double along_y, Random& random);

/// Rubs the ink off at a corner, within `radius`.
void WearCorner(Surface& surface, const Plane& ids, int id, int corner, double radius,
                Random& random);

/// A dried drop: colour only. @param strength  how much it darkens, 0..1
void Stain(Surface& surface, const Plane& ids, int id, const Box& box, double strength,
           Random& random);

/// A field of short, fine, parallel scratches that dull the gloss. @param turns  their direction
void Scuff(Surface& surface, const Plane& ids, int id, const Box& box, double turns,
           double strength, Random& random);

}  // namespace glint
