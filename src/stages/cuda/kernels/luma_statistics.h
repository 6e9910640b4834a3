// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stages/cuda/kernel.h"

namespace glint::cuda {

/// Planes that one launch takes.
inline constexpr int kMaxImages = 16;

/// Sums of LumaStatistics over a part of each image: 256 columns and kRows rows per block, one
/// column per thread.
struct LumaStatisticsKernel {
  static constexpr KernelId kId = KernelId::kLumaStatistics;
  static constexpr int kRows = 16;
  static constexpr int kSums = 4;  ///< Laplacian, its square, dark, bright
  /// With 64 registers instead of 72, four blocks fit where three did; nothing is spilled.
  struct Shape : BlockShape<3, BlockSums<kSums>> {
    static constexpr int kBlocksAtOnce = 4;
  };

  Image<const std::uint8_t> images[kMaxImages];  ///< layer i works on image i
  std::uint64_t* sums = nullptr;                 ///< kSums per image, modulo 2^64; cleared before

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) SumColumn(thread, shared);
    if constexpr (phase == 1) shared.Reduce(thread.index);
    if constexpr (phase == 2)
      shared.AtomicAddTo(thread.index, sums + std::ptrdiff_t{thread.block_y} * kSums);
  }

 private:
  /// The neighbour of a coordinate, reflect-101.
  GLINT_HOST_DEVICE static int Before(int i, int count) {
    return i > 0 ? i - 1 : Min(1, count - 1);
  }
  GLINT_HOST_DEVICE static int After(int i, int count) {
    return i < count - 1 ? i + 1 : Max(count - 2, 0);
  }

  GLINT_HOST_DEVICE void SumColumn(const Thread& thread, Shape::Shared& shared) const {
    const Image<const std::uint8_t>& image = images[thread.block_y];
    const int across = CeilDiv(image.width, Shape::kThreads);
    const int x = thread.block_x % across * Shape::kThreads + thread.index;
    const int first = thread.block_x / across * kRows;
    std::int32_t sum = 0, square_sum = 0, dark = 0, bright = 0;
    if (x < image.width && first < image.height) {
      const int left = Before(x, image.width), right = After(x, image.width);
      const int end = Min(first + kRows, image.height);
      for (int y = first; y < end; ++y) {
        const std::uint8_t* row = image.Row(y);
        const int value = row[x];
        const int laplacian = image.At(x, Before(y, image.height)) +
                              image.At(x, After(y, image.height)) + row[left] + row[right] -
                              4 * value;
        sum += laplacian;
        square_sum += laplacian * laplacian;
        dark += value <= 2 ? 1 : 0;
        bright += value >= 253 ? 1 : 0;
      }
    }
    // Negative sums wrap around, which addition modulo 2^64 undoes.
    shared.Put(thread.index, 0, static_cast<std::uint64_t>(std::int64_t{sum}));
    shared.Put(thread.index, 1, static_cast<std::uint64_t>(std::int64_t{square_sum}));
    shared.Put(thread.index, 2, static_cast<std::uint64_t>(std::int64_t{dark}));
    shared.Put(thread.index, 3, static_cast<std::uint64_t>(std::int64_t{bright}));
  }
};

}  // namespace glint::cuda
