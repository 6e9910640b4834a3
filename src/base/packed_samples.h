// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "glint/plane.h"

namespace glint {

/// Samples of a plane as someone else laid them out.
struct SampleRows {
  const std::uint8_t* first = nullptr;  ///< of the first row
  std::ptrdiff_t stride = 0;            ///< bytes from one row to the next, any sign
  Size size;                            ///< samples in a row, and rows; both >= 1
  int sample_bytes = 1;                 ///< 1, or 2 with the low byte first
};

/// The samples without loss, in a third to two thirds of their memory: in blocks of 16 bytes by a
/// few rows, each sample as its difference to the one above, or to what that and its neighbours to
/// the left lead to expect, and all of a block in as many bits as the greatest difference needs.
/// Noise takes 1/128 more than its samples. Samples that change meanwhile give some others, and
/// nothing worse.
/// @return by rows of blocks: bits of each block, then the blocks
/// Throws std::bad_alloc.
std::vector<std::uint8_t> PackSamples(const SampleRows& rows);

/// Bytes from one unpacked row to the next, at least.
std::ptrdiff_t UnpackedStride(Size size, int sample_bytes);

/// What UnpackSamples writes with that stride: more than the rows, as blocks are written whole.
std::size_t UnpackedBytes(Size size, int sample_bytes);

/// The samples again of what PackSamples made of so many.
/// @param out     whole blocks are written: 16 bytes wide, and as many rows as a sample has bits
/// @param stride  bytes from one row of `out` to the next, >= UnpackedStride()
void UnpackSamples(std::span<const std::uint8_t> packed, Size size, int sample_bytes,
                   std::uint8_t* out, std::ptrdiff_t stride);

}  // namespace glint
