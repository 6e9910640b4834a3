// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bench/synth/random.h"
#include "bench/synth/surface.h"
#include "bench/synth/synth.h"
#include "glint/plane.h"

namespace glint {

/// What the damage of an object is, and where.
struct Damage {
  std::vector<SynthDefect> defects;  ///< ids 1, 2, ...; peaks not yet known
  Plane ids;                         ///< kU8, the object's size: the defect of each pixel, or 0
};

/// Damages the surface, as objects of its kind age: pages get creases, ticks at the spine (the left
/// side), a tear, a stain; covers also scratches and a missing corner; cards scratches, a scuff and
/// worn corners. Lines are bumps that glint as the light moves, and most break the ink at their
/// crest. Each defect covers pixels of its own.
Damage DoDamage(SynthKind kind, Surface& surface, std::uint32_t seed);

/// No damage on an object of this size.
Damage NoDamage(Size size);

}  // namespace glint
