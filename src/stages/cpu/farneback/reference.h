// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "glint/plane.h"

namespace glint::farneback {

/// The flow of a pair, written to be read: this is the specification. Every vector path and every
/// backend gives these bytes, which takes the same floating-point operations in the same order per
/// pixel, each rounded once (no fused multiply-add).
/// @param previous,next  kU8 on the host, same size, both sides >= 16
/// @return kF32x2
Plane ReferenceField(const Plane& previous, const Plane& next);

}  // namespace glint::farneback
