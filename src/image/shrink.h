// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "glint/plane.h"

namespace glint {

/// The picture made smaller, each new pixel the exact mean (rounded) of the area that it covers, in
/// integers: the same bytes on every machine. A picture that is small enough already is given back
/// as it is (its pixels are shared).
/// @param plane     kU8 or kU8x3 on the host
/// @param max_side  the longer side of the result at most, >= 1
Plane ShrinkToFit(const Plane& plane, int max_side);

}  // namespace glint
