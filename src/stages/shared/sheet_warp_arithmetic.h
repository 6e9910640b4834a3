// SPDX-License-Identifier: Apache-2.0
// Where a warp with a displacement reads, for every backend: integers between nodes, then the same
// double operations as stages/warp_coordinates.h.
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "stages/shared/warp_coordinates.h"

namespace glint::warp {

/// Pixels from node to node: Displacement::kStep.
inline constexpr int kDisplacementStep = 8;
/// Units of a displacement per pixel.
inline constexpr int kDisplacementUnit = 256;

/// A displacement between four nodes, units of 1/256 px / kNodes^2. Exact.
/// @param top,bottom  the nodes of the pixel's row of cells, from the cell's left one on
/// @param fx,fy       where in the cell the pixel lies, 0 .. step - 1
GLINT_HOST_DEVICE inline std::int32_t BetweenNodes(const std::int16_t* top,
                                                   const std::int16_t* bottom, int fx, int fy) {
  constexpr int kStep = kDisplacementStep;
  return ((kStep - fx) * top[0] + fx * top[1]) * (kStep - fy) +
         ((kStep - fx) * bottom[0] + fx * bottom[1]) * fy;
}

/// The same in pixels. Exact: a double holds it.
GLINT_HOST_DEVICE inline double Displaced(int place, std::int32_t between) {
  constexpr int kCell = kDisplacementStep * kDisplacementStep;
  return place + between * (1.0 / (kDisplacementUnit * kCell));
}

}  // namespace glint::warp
