// SPDX-License-Identifier: Apache-2.0
// Parts that tile an object: corners, edges (or the spine) and what lies between.
#pragma once

#include <string_view>
#include <vector>

#include "glint/assessment.h"
#include "glint/object_side.h"
#include "glint/plane.h"

namespace glint {

/// The parts of an object: each pixel belongs to the first one whose box holds it, and the last one
/// ("face") holds all. Corners are as the named regions have them, 15 % wide and 12 % high; edges
/// are 8 % of the shorter side deep; a comic's bound edge is its spine, 8 % of the width, and goes
/// from corner to corner: the left edge of the front, the right one of the back.
/// @param size  at least 16 px on both sides
std::vector<ObjectPart> PartsOf(std::string_view item_type, Size size,
                                ObjectSide side = ObjectSide::kFront);

/// The part that a pixel belongs to, as an index of `parts`.
std::size_t PartAt(const std::vector<ObjectPart>& parts, int x, int y);

/// Counts seen and damaged pixels of each part; they add up to those of the whole object.
/// @param mask  kU8 on the host: what is damaged
/// @param seen  kU8 on the host, of the same size: not 0 where the surface was seen
void MeasureParts(const Plane& mask, const Plane& seen, std::vector<ObjectPart>& parts);

/// The axis that a part counts to.
Axis AxisOf(std::string_view part);

}  // namespace glint
