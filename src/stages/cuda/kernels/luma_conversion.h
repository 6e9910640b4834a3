// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/luma_arithmetic.h"
#include "stages/cuda/kernel.h"
#include "stages/cuda/kernels/luma_statistics.h"

namespace glint::cuda {

/// Full-range luma out of stored samples (LumaConversionStage), a thread per pixel.
struct LumaConversionKernel {
  static constexpr KernelId kId = KernelId::kLumaConversion;
  using Shape = PixelShape;

  Image<const std::uint8_t> stored[kMaxImages];  ///< bytes; the width is one of samples
  Image<std::uint8_t> luma[kMaxImages];          ///< layer i makes image i
  int depth = 8;
  int shift = 0;
  bool full_range = false;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const Image<const std::uint8_t>& from = stored[thread.block_y];
    // A smaller image leaves some of its layer's blocks without work.
    const Pixel pixel = PixelOf(thread, from.width);
    if (pixel.x >= from.width || pixel.y >= from.height) return;
    const int sample = (Place(from.Row(pixel.y), pixel.x) >> shift) & ((1 << depth) - 1);
    luma[thread.block_y].At(pixel.x, pixel.y) = FullRangeLuma(sample, depth, full_range);
  }

 private:
  /// What stands in the place of a row's sample.
  GLINT_HOST_DEVICE int Place(const std::uint8_t* row, int x) const {
    if (depth == 8) return row[x];
    return reinterpret_cast<const std::uint16_t*>(row)[x];
  }
};

}  // namespace glint::cuda
