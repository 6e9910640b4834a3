// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stages/cuda/kernel.h"

namespace glint::cuda {

/// Arithmetic whose answer shows a device (or a compiler) that computes otherwise than the host:
/// contraction into FMA, division or square root that round wrongly, lost subnormal numbers,
/// barriers and atomic sums that do not work. Each value is used bit by bit.
struct SelfTestKernel {
  static constexpr KernelId kId = KernelId::kSelfTest;
  static constexpr int kBlocks = 64;
  struct Memory {
    std::uint32_t bits[256];
    BlockSums<1> sums;
  };
  using Shape = BlockShape<4, Memory>;

  std::uint32_t seed = 0;
  std::uint64_t* sum = nullptr;  ///< cleared before

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) shared.bits[thread.index] = Bits(thread);
    // The value of a thread in another warp, weighted so that a swap shows.
    if constexpr (phase == 1) {
      const std::uint64_t other = shared.bits[(thread.index + 37) % Shape::kThreads];
      shared.sums.Put(thread.index, 0,
                      other * (std::uint64_t{2} * static_cast<unsigned>(thread.index) + 1));
    }
    if constexpr (phase == 2) shared.sums.Reduce(thread.index);
    if constexpr (phase == 3) shared.sums.AtomicAddTo(thread.index, sum);
  }

 private:
  GLINT_HOST_DEVICE std::uint32_t Bits(const Thread& thread) const {
    const auto n = static_cast<std::uint32_t>(thread.block_x * Shape::kThreads + thread.index);
    const std::uint32_t mixed = (n + seed) * 2654435761U;
    const float a = 1.0F + static_cast<float>(mixed >> 9) * 0x1p-23F;
    const float b = static_cast<float>((mixed & 0xFFFF) + 1) * 0x1.3p-7F;
    const float product_and_sum = a * b - b;  // differs under FMA
    const float quotient = sqrtf(a / b);
    const float subnormal = (a * 0x1p-70F) * (b * 0x1p-66F);
    const double wide = 1.0 / (static_cast<double>(a) + 3.0);
    const float all = (product_and_sum + quotient) + subnormal * 0x1p+126F;
    return FloatBits(all) ^ FloatBits(static_cast<float>(wide));
  }

  GLINT_HOST_DEVICE static std::uint32_t FloatBits(float value) {
    std::uint32_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
  }
};

}  // namespace glint::cuda
