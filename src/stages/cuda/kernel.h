// SPDX-License-Identifier: Apache-2.0
// What a kernel is: a struct of its arguments (pointers to device memory and numbers, copied to the
// device as they are) with a function for one thread of one block.
//
//   struct Negate {
//     static constexpr KernelId kId = KernelId::kNegate;
//     using Shape = PixelShape;                       // threads, phases, shared memory, locals
//     template <int phase>
//     GLINT_HOST_DEVICE void Run(const Thread& at, Shape::Shared&, Shape::Locals&) const;
//     ...arguments
//   };
//
// Between two phases stands a barrier for the block's threads; Locals are what a thread keeps over
// it. So the same code runs on a GPU (launch/entry.cuh) and, thread after thread in any order, on
// the host (tests/stages/cuda/simulated_gpu.h), where it is compared with the CPU's stages.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/host_device.h"

namespace glint::cuda {

/// Every kernel there is.
enum class KernelId : std::uint8_t {
  kSelfTest,
  kCopy,
  kLumaConversion,
  kLumaStatistics,
  kReduceLevel,
  kExpandPolynomials,
  kIterateFlow,
  kCannyClasses,
  kCannyJoin,
  kCannyReach,
  kCannyWrite,
  kFindRuns,
  kJoinRuns,
  kCountComponents,
  kSumCounts,
  kNumberComponents,
  kWriteComponents,
  kMorphologyPass,
  kRunningExtreme,
  kDifference,
  kWarp,
  kDetail,
  kFusionMaxima,
  kFusionScore,
  kScoreSums,
  kScoreMask,
  kSmoothViews,
  kMedianOfViews,
  kArtworkSlopes,
  kLargestAround,
  kPrepareModel,
  kFitViews,
  kTakeOutCurve,
  kKeepResiduals,
  kScaleOfNoise,
  kViewUnits,
  kAddCalmed,
  kRootMeans,
  kSmoothGroups,
  kFindLines,
  kMarkRidges,
  kCount,
};

inline constexpr std::size_t kKernels = static_cast<std::size_t>(KernelId::kCount);

/// How many blocks a launch has: `across` in one row (up to 2^31 - 1), `layers` such rows (up to
/// 65535; a layer is one frame, pair, view or threshold).
struct Blocks {
  std::int64_t across = 1;
  int layers = 1;
  bool operator==(const Blocks&) const = default;
};

/// Which thread of which block runs.
struct Thread {
  int block = 0;
  int layer = 0;
  int index = 0;  ///< in its block
};

struct Nothing {};

/// What a block is: 256 threads, `phases` with a barrier between each two, the memory that they
/// share, and what each of them keeps from phase to phase.
template <int phases, class SharedMemory, class ThreadLocals = Nothing>
struct BlockShape {
  static constexpr int kThreads = 256;
  static constexpr int kPhases = phases;
  using Shared = SharedMemory;
  using Locals = ThreadLocals;
};

/// Kernels of one thread per pixel: blocks are tiles of kTileWidth x kTileHeight pixels.
using PixelShape = BlockShape<1, Nothing>;
inline constexpr int kTileWidth = 32;
inline constexpr int kTileHeight = 8;

GLINT_HOST_DEVICE inline int Smaller(int a, int b) { return a < b ? a : b; }
GLINT_HOST_DEVICE inline int Larger(int a, int b) { return a > b ? a : b; }
GLINT_HOST_DEVICE inline int Within(int value, int count) {
  return value < 0 ? 0 : value >= count ? count - 1 : value;
}

/// Pieces of `size` that make up `total`.
GLINT_HOST_DEVICE inline int Pieces(int total, int size) { return (total + size - 1) / size; }

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

/// First pixel of a block's tile. @param across  tiles in a row of the plane
GLINT_HOST_DEVICE inline Pixel TileCorner(int block, int across, int width, int height) {
  return {block % across * width, block / across * height};
}

/// The pixel of a thread of PixelShape; may lie outside of the plane.
GLINT_HOST_DEVICE inline Pixel PixelOf(const Thread& at, int plane_width) {
  const Pixel corner =
      TileCorner(at.block, Pieces(plane_width, kTileWidth), kTileWidth, kTileHeight);
  return {corner.x + at.index % kTileWidth, corner.y + at.index / kTileWidth};
}

/// Tiles of width x height pixels that cover a plane.
inline std::int64_t Tiles(int plane_width, int plane_height, int width = kTileWidth,
                          int height = kTileHeight) {
  return std::int64_t{Pieces(plane_width, width)} * Pieces(plane_height, height);
}

// Operations on what other threads may be changing, whose order does not show in the result.

GLINT_HOST_DEVICE inline void AddTo(std::uint64_t* sum, std::uint64_t value) {
#ifdef __CUDA_ARCH__
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
#else
  std::atomic_ref(*sum).fetch_add(value, std::memory_order_relaxed);
#endif
}

GLINT_HOST_DEVICE inline void RaiseTo(std::int32_t* largest, std::int32_t value) {
#ifdef __CUDA_ARCH__
  atomicMax(largest, value);
#else
  const std::atomic_ref shared(*largest);
  std::int32_t before = shared.load(std::memory_order_relaxed);
  while (before < value &&
         !shared.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
#endif
}

/// Lowers to `value`. @return what stood there before
GLINT_HOST_DEVICE inline std::int32_t LowerTo(std::int32_t* smallest, std::int32_t value) {
#ifdef __CUDA_ARCH__
  return atomicMin(smallest, value);
#else
  const std::atomic_ref shared(*smallest);
  std::int32_t before = shared.load(std::memory_order_relaxed);
  while (before > value &&
         !shared.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
  return before;
#endif
}

/// Reads what other threads may be changing.
GLINT_HOST_DEVICE inline std::int32_t ReadShared(const std::int32_t* value) {
#ifdef __CUDA_ARCH__
  return *static_cast<const volatile std::int32_t*>(value);
#else
  return __atomic_load_n(value, __ATOMIC_RELAXED);
#endif
}

/// Raises a flag that other threads may be raising too.
GLINT_HOST_DEVICE inline void Raise(std::uint8_t* flag) {
#ifdef __CUDA_ARCH__
  *flag = 1;
#else
  std::atomic_ref(*flag).store(1, std::memory_order_relaxed);
#endif
}

/// Sums 32 values in the place of the first.
GLINT_HOST_DEVICE inline void Gather32(std::uint64_t* values) {
  for (int i = 1; i < 32; ++i) values[0] += values[i];
}

/// Sums of `kCount` values over a block's 256 threads, and from there over all blocks; takes
/// three phases.
template <int kCount>
struct BlockSums {
  static constexpr int kParts = 8;
  std::uint64_t values[kCount][256];

  /// First phase: each thread brings its values.
  GLINT_HOST_DEVICE void Put(int thread, int which, std::uint64_t value) {
    values[which][thread] = value;
  }
  /// Second phase: each 32 values become one, in the place of the first.
  GLINT_HOST_DEVICE void Gather(int thread) {
    if (thread < kCount * kParts) Gather32(values[0] + thread * 32);
  }
  /// Third phase: adds the block's sums to totals[0 .. kCount - 1].
  GLINT_HOST_DEVICE void AddToTotals(int thread, std::uint64_t* totals) const {
    if (thread >= kCount) return;
    std::uint64_t sum = 0;
    for (int i = 0; i < kParts; ++i) sum += values[thread][i * 32];
    AddTo(totals + thread, sum);
  }
};

}  // namespace glint::cuda
