// SPDX-License-Identifier: Apache-2.0
// How well the print is centred, where it has a border.
#pragma once

#include <optional>

#include "glint/assessment.h"
#include "glint/plane.h"

namespace glint {

/// Measures the border on all four sides: a band of one colour from the edge inwards that ends at
/// the same depth along most of the side. Nothing where one side has none.
/// @param picture  kU8x3 on the host: the object from edge to edge, both sides at least 64 px
std::optional<Centering> MeasureCentering(const Plane& picture);

}  // namespace glint
