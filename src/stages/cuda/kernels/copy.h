// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stages/cuda/kernel.h"

namespace glint::cuda {

/// What a thread moves at a time.
struct alignas(16) CopyUnit {
  std::uint64_t low;
  std::uint64_t high;
};

/// Copies memory, as fast as a kernel can.
struct CopyKernel {
  static constexpr KernelId kId = KernelId::kCopy;
  static constexpr int kUnits = 4;  ///< per thread
  using Shape = BlockShape<1, Nothing>;
  static constexpr int kPerBlock = kUnits * Shape::kThreads;

  const CopyUnit* from = nullptr;
  CopyUnit* to = nullptr;
  std::int64_t count = 0;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const std::int64_t first = std::int64_t{thread.block_x} * kPerBlock + thread.index;
    for (int i = 0; i < kUnits; ++i) {
      const std::int64_t unit = first + std::int64_t{i} * Shape::kThreads;
      if (unit < count) to[unit] = from[unit];
    }
  }
};

}  // namespace glint::cuda
