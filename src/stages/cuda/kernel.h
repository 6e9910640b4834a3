// SPDX-License-Identifier: Apache-2.0
// What a kernel is: a struct of its arguments (pointers to device memory and numbers, copied to the
// device as they are) with a function for one thread of one block.
//
//   struct Negate {
//     static constexpr KernelId kId = KernelId::kNegate;
//     using Shape = PixelShape;                       // threads, phases, shared memory, locals
//     template <int phase>
//     GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const;
//     ...arguments
//   };
//
// Between two phases stands a barrier for the block's threads; Locals are what a thread keeps over
// it. So the same code runs on a GPU (launch/entry.cuh) and, thread after thread in any order, on
// the host (tests/stages/cuda/simulated_gpu.h), where it is compared with the CPU's stages.
//
// This header, kernels/ and launch/ are C++17 and include nothing that kernels do not need: nvcc 11
// knows no C++20.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"
#include "stages/cuda/kernel_list.h"

namespace glint::cuda {

/// Every kernel there is (kernel_list.h).
enum class KernelId : std::uint8_t {
#define GLINT_KERNEL_ID(Name) k##Name,
  GLINT_KERNELS(GLINT_KERNEL_ID)
#undef GLINT_KERNEL_ID
      kCount,
};

inline constexpr std::size_t kKernels = static_cast<std::size_t>(KernelId::kCount);

/// How many blocks a launch has, as CUDA's gridDim: `x` up to 2^31 - 1, `y` up to 65535 (one per
/// frame, pair, view or threshold).
struct Grid {
  std::int64_t x = 1;
  int y = 1;

  friend constexpr bool operator==(const Grid& a, const Grid& b) {
    return a.x == b.x && a.y == b.y;
  }
};

/// Which thread of which block runs.
struct Thread {
  int block_x = 0;
  int block_y = 0;
  int index = 0;  ///< in its block
};

struct Nothing {};

/// What a block is: 256 threads, `phases` with a barrier between each two, the memory that they
/// share, and what each of them keeps from phase to phase.
template <int phases, class SharedMemory, class ThreadLocals = Nothing>
struct BlockShape {
  static constexpr int kThreads = 256;
  static constexpr int kPhases = phases;
  /// Blocks that a multiprocessor shall hold at once, as far as registers decide it.
  static constexpr int kBlocksAtOnce = 1;
  using Shared = SharedMemory;
  using Locals = ThreadLocals;
};

/// Kernels of one thread per pixel: blocks are tiles of kTileWidth x kTileHeight pixels.
using PixelShape = BlockShape<1, Nothing>;
inline constexpr int kTileWidth = 32;
inline constexpr int kTileHeight = 8;

GLINT_HOST_DEVICE inline int Min(int a, int b) { return a < b ? a : b; }
GLINT_HOST_DEVICE inline int Max(int a, int b) { return a > b ? a : b; }
/// The nearest of 0 .. count - 1.
GLINT_HOST_DEVICE inline int ClampIndex(int value, int count) {
  return value < 0 ? 0 : value >= count ? count - 1 : value;
}

/// total / size, rounded up.
GLINT_HOST_DEVICE inline int CeilDiv(int total, int size) { return (total + size - 1) / size; }

/// A plane's pixels on the device.
template <class T>
struct Image {
  T* data = nullptr;
  std::int64_t stride = 0;  ///< in T
  int width = 0;
  int height = 0;

  GLINT_HOST_DEVICE T* Row(int y) const { return data + y * stride; }
  GLINT_HOST_DEVICE T& At(int x, int y) const { return data[y * stride + x]; }
};

struct Pixel {
  int x = 0;
  int y = 0;
};

/// First pixel of a block's tile. @param tiles_in_row  of the plane
GLINT_HOST_DEVICE inline Pixel TileCorner(int block, int tiles_in_row, int width, int height) {
  return {block % tiles_in_row * width, block / tiles_in_row * height};
}

/// The pixel of a thread of PixelShape; may lie outside of the plane.
GLINT_HOST_DEVICE inline Pixel PixelOf(const Thread& thread, int plane_width) {
  const Pixel corner =
      TileCorner(thread.block_x, CeilDiv(plane_width, kTileWidth), kTileWidth, kTileHeight);
  return {corner.x + thread.index % kTileWidth, corner.y + thread.index / kTileWidth};
}

/// Tiles of width x height pixels that cover a plane.
inline std::int64_t Tiles(int plane_width, int plane_height, int width = kTileWidth,
                          int height = kTileHeight) {
  return std::int64_t{CeilDiv(plane_width, width)} * CeilDiv(plane_height, height);
}

// Operations on what other threads may be changing, whose order does not show in the result.

GLINT_HOST_DEVICE inline void AtomicAdd(std::uint64_t* sum, std::uint64_t value) {
#ifdef __CUDA_ARCH__
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
#else
  __atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
#endif
}

/// Reads what other threads may be changing.
GLINT_HOST_DEVICE inline std::int32_t AtomicLoad(const std::int32_t* value) {
#ifdef __CUDA_ARCH__
  return *static_cast<const volatile std::int32_t*>(value);
#else
  return __atomic_load_n(value, __ATOMIC_RELAXED);
#endif
}

#ifndef __CUDA_ARCH__
/// Replaces what stands there, if it still is `before`. @return false, and what it is, if not
inline bool AtomicReplace(std::int32_t* place, std::int32_t& before, std::int32_t value) {
  return __atomic_compare_exchange_n(place, &before, value, true, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}
#endif

GLINT_HOST_DEVICE inline void AtomicMax(std::int32_t* largest, std::int32_t value) {
#ifdef __CUDA_ARCH__
  atomicMax(largest, value);
#else
  std::int32_t before = AtomicLoad(largest);
  while (before < value && !AtomicReplace(largest, before, value)) {
  }
#endif
}

/// Lowers to `value`. @return what stood there before
GLINT_HOST_DEVICE inline std::int32_t AtomicMin(std::int32_t* smallest, std::int32_t value) {
#ifdef __CUDA_ARCH__
  return atomicMin(smallest, value);
#else
  std::int32_t before = AtomicLoad(smallest);
  while (before > value && !AtomicReplace(smallest, before, value)) {
  }
  return before;
#endif
}

/// Raises a flag that other threads may be raising too.
GLINT_HOST_DEVICE inline void SetFlag(std::uint8_t* flag) {
#ifdef __CUDA_ARCH__
  *flag = 1;
#else
  __atomic_store_n(flag, std::uint8_t{1}, __ATOMIC_RELAXED);
#endif
}

/// Sums of `kCount` values over a block's 256 threads, and from there over all blocks; takes
/// three phases.
template <int kCount>
struct BlockSums {
  static constexpr int kParts = 8;
  std::uint64_t values[kCount][256 + kParts];  ///< rows begin in different banks

  /// First phase: each thread brings its values.
  GLINT_HOST_DEVICE void Put(int thread, int which, std::uint64_t value) {
    values[which][thread] = value;
  }
  /// Second phase: each kParts-th value joins one of the first kParts, so that neighbours among the
  /// threads read neighbours: they lie in different banks of a GPU's shared memory.
  GLINT_HOST_DEVICE void Reduce(int thread) {
    if (thread >= kCount * kParts) return;
    std::uint64_t* const of_part = values[thread / kParts] + thread % kParts;
    for (int i = kParts; i < 256; i += kParts) *of_part += of_part[i];
  }
  /// Third phase: adds the block's sums to totals[0 .. kCount - 1].
  GLINT_HOST_DEVICE void AtomicAddTo(int thread, std::uint64_t* totals) const {
    if (thread >= kCount) return;
    std::uint64_t sum = 0;
    for (int i = 0; i < kParts; ++i) sum += values[thread][i];
    AtomicAdd(totals + thread, sum);
  }
};

}  // namespace glint::cuda
