// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "glint/photometric_stages.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Units of normalised energy per usual energy.
inline constexpr int kEnergyUnit = 256;

/// Line responses in units of what is usual for the artwork at each pixel: the median over the
/// pixels whose own artwork and whose surroundings are as busy. Compression smears edges over the
/// transform's blocks, so that flat paper beside a printed frame answers up to twice as strongly as
/// flat paper elsewhere, the more, the lower the bit rate; and because most of an object is
/// undamaged, the medians tell by how much in this scan.
/// @param response  kS32 on the host, not negative: energies or point responses; 0 does not count
/// @param artwork   on the host
/// @return kS32 on the host, 1/kEnergyUnit
Plane InUsualUnits(const Plane& response, const Artwork& artwork);

}  // namespace glint::photometric
