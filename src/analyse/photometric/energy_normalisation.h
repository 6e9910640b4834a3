// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "glint/photometric_stages.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Units of normalised energy per median energy.
inline constexpr int kEnergyUnit = 256;

/// Line responses over the one expected for the artwork at each pixel: the median over the pixels
/// whose spatial activity (mean squared gradient), near and around, is alike. Compression smears
/// edges over the transform's blocks, so that flat paper beside a printed frame answers up to twice
/// as strongly as flat paper elsewhere, the more, the lower the bit rate; and because most of an
/// object is undamaged, the medians tell by how much in this scan.
/// @param responses  kS32 on the host, of the artwork's size, not negative: energies or point
///                   responses, each measured by its own medians; 0 does not count
/// @param artwork    on the host
/// @return for each, kS32 on the host, 1/kEnergyUnit
std::vector<Plane> NormaliseEnergy(std::span<const Plane> responses, const Albedo& artwork,
                                   ThreadPool& pool);

}  // namespace glint::photometric
