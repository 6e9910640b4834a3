// SPDX-License-Identifier: Apache-2.0
// Views and artwork in blocks of 4x4 pixels: for what is larger than any line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "glint/photometric_stages.h"
#include "glint/plane.h"

namespace glint::photometric {

inline constexpr int kBlock = 4;  ///< side of a block, px

/// One picture in blocks; what is left of a row or column of pixels takes no part.
struct BlockSums {
  int columns = 0, rows = 0;
  std::vector<std::int32_t> grey;  ///< sum of 16 grey values; 0 where not seen
  std::vector<std::uint8_t> seen;  ///< 1 where all pixels are seen

  std::size_t At(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(x);
  }
};

/// @param grey  kU8; @param valid  kU8, same size: not 0 where it is seen
BlockSums SumBlocks(const Plane& grey, const Plane& valid);

/// The artwork, seen where any view sees the surface.
BlockSums SumBlocks(const Albedo& albedo);

/// Of every view.
std::vector<BlockSums> SumBlocks(std::span<const Plane> greys, std::span<const Plane> valid,
                                 ThreadPool& pool);

}  // namespace glint::photometric
