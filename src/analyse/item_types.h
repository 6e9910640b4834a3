// SPDX-License-Identifier: Apache-2.0
// How much of an object's named parts is damaged.
#pragma once

#include <optional>
#include <vector>

#include "glint/item_type.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// Percentage of the seen pixels inside `box` that are marked; nothing when less than half of the
/// box was seen.
/// @param mask  kU8 on the host, 0 and 255
/// @param seen  kU8 on the host, size of `mask`: not 0 where the surface was visible
/// @param box   inside the planes, not empty
std::optional<double> DamagedPercent(const Plane& mask, const Plane& seen, const Rectangle& box);

/// The same over the whole surface.
std::optional<double> DamagedPercent(const Plane& mask, const Plane& seen);

/// DamagedPercent of every named part of an item type, in its order.
std::vector<NamedRegion> MeasureNamedRegions(const ItemType& type, const Plane& mask,
                                             const Plane& seen);

/// Percentage of the surface that is marked. @param mask  as above
double MarkedPercent(const Plane& mask);

/// Marked pixels per 100 of those in `among`; 0 when there are none. @param mask,among  as above
double MarkedPercent(const Plane& mask, const Plane& among);

/// Where both are marked: kU8 on the host, 0 and 255. @param a,b  as above
Plane Both(const Plane& a, const Plane& b);

/// Where nothing is marked: kU8 on the host, 0 and 255. @param mask  as above
Plane Unmarked(const Plane& mask);

}  // namespace glint
