// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bench/synth/synth.h"
#include "glint/plane.h"

namespace glint {

/// Width divided by height of what is printed.
double AspectOf(SynthKind kind);

/// Radius of the object's round corners, as share of its width; 0 for square ones.
double CornerRadiusOf(SynthKind kind);

/// Draws what is printed on the object.
/// @param size  the object's pixels
/// @return kU8x3, gamma-coded
Plane DrawArtwork(SynthKind kind, Size size, std::uint32_t seed);

}  // namespace glint
