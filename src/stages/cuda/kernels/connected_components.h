// SPDX-License-Identifier: Apache-2.0
// Connected components by union-find (D. P. Playne and K. Hawick, "A New Algorithm for Parallel
// Connected-Component Labelling on GPUs", IEEE TPDS 2018; S. Allegretti, F. Bolelli and C. Grana,
// "Optimized Block-Based Algorithms to Label Connected Components on GPUs", IEEE TPDS 2019): runs
// of set pixels are joined where they touch, and the first pixels of components are numbered by a
// prefix sum over their counts. The host looks once, at how many there are.
#pragma once

#include "stages/cuda/kernels/union_find.h"

namespace glint::cuda {

inline constexpr std::int32_t kNotSet = -1;  ///< label of the background

/// The sum of what threads before this one brought.
GLINT_HOST_DEVICE inline std::int32_t SumBefore(const std::int32_t* values, int thread) {
  std::int32_t sum = 0;
  for (int i = 0; i < thread; ++i) sum += values[i];
  return sum;
}

/// The mask, and its labels: a pixel of the same component, densely packed.
struct LabelledMask {
  Image<const std::uint8_t> mask;
  std::int32_t* labels = nullptr;

  GLINT_HOST_DEVICE bool IsSet(int x, int y) const {
    return x >= 0 && y >= 0 && x < mask.width && mask.At(x, y) != 0;
  }
  GLINT_HOST_DEVICE std::int32_t Number(int x, int y) const { return y * mask.width + x; }
};

/// Labels each set pixel with the first one of its run, as far as that lies in the tile.
struct FindRunsKernel {
  static constexpr KernelId kId = KernelId::kFindRuns;
  using Shape = PixelShape;

  LabelledMask on;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, on.mask.width);
    if (x >= on.mask.width || y >= on.mask.height) return;
    const std::uint8_t* row = on.mask.Row(y);
    int first = x;
    while (first % kTileWidth != 0 && row[first - 1] != 0) --first;
    on.labels[on.Number(x, y)] = row[x] != 0 ? on.Number(first, y) : kNotSet;
  }
};

/// Joins runs with what they touch to the left and above, once for each stretch in which they do.
struct JoinRunsKernel {
  static constexpr KernelId kId = KernelId::kJoinRuns;
  using Shape = PixelShape;

  LabelledMask on;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, on.mask.width);
    if (x >= on.mask.width || y >= on.mask.height || !on.IsSet(x, y)) return;
    const std::int32_t pixel = on.Number(x, y);
    const bool left = on.IsSet(x - 1, y);
    const bool above = on.IsSet(x, y - 1);
    const bool above_left = on.IsSet(x - 1, y - 1);
    if (left && x % kTileWidth == 0) Join(on.labels, pixel, pixel - 1);
    // Where a neighbour in the row touches the same pixels above, it is the one to join them.
    if (above) {
      if (!left || !above_left) Join(on.labels, pixel, on.Number(x, y - 1));
      return;
    }
    if (above_left && !left) Join(on.labels, pixel, on.Number(x - 1, y - 1));
    if (on.IsSet(x + 1, y - 1) && !on.IsSet(x + 1, y)) {
      Join(on.labels, pixel, on.Number(x + 1, y - 1));
    }
  }
};

/// A part of the labels in reading order, for one block: kPerThread for each of its threads.
struct LabelPart {
  static constexpr int kPerThread = 8;
  static constexpr int kSize = 256 * kPerThread;

  std::int32_t* labels = nullptr;
  std::int64_t count = 0;

  /// Calls work(pixel, its label) for the pixels of a thread that are set, in their order.
  template <class Work>
  GLINT_HOST_DEVICE void ForThread(const Thread& thread, const Work& work) const {
    const std::int64_t first =
        std::int64_t{thread.block_x} * kSize + std::int64_t{thread.index} * kPerThread;
    for (std::int64_t i = first; i < first + kPerThread && i < count; ++i) {
      const auto pixel = static_cast<std::int32_t>(i);
      const std::int32_t label = AtomicLoad(labels + pixel);
      if (label != kNotSet) work(pixel, label);
    }
  }
};

/// What the threads of a block count.
struct CountsOfThreads {
  std::int32_t counts[256];
};

/// Labels each pixel with the first one of its component, and counts those in each part.
struct CountComponentsKernel {
  static constexpr KernelId kId = KernelId::kCountComponents;
  using Shape = BlockShape<2, CountsOfThreads>;

  LabelPart part;
  std::int32_t* counts = nullptr;  ///< of parts

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) {
      std::int32_t count = 0;
      part.ForThread(thread, [&](std::int32_t pixel, std::int32_t label) {
        const std::int32_t first = FirstOfHalving(part.labels, pixel);
        if (first == pixel) ++count;
        if (first != label) AtomicMin(part.labels + pixel, first);
      });
      shared.counts[thread.index] = count;
    } else if (thread.index == 0) {
      counts[thread.block_x] = SumBefore(shared.counts, Shape::kThreads);
    }
  }
};

/// Replaces the counts of parts by how many components there are before each. One block.
struct SumCountsKernel {
  static constexpr KernelId kId = KernelId::kSumCounts;
  using Shape = BlockShape<2, CountsOfThreads>;

  std::int32_t* counts = nullptr;
  int parts = 0;
  std::int32_t* total = nullptr;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    const int each = CeilDiv(parts, Shape::kThreads);
    const int first = Min(thread.index * each, parts), end = Min(first + each, parts);
    if constexpr (phase == 0) {
      shared.counts[thread.index] = SumBefore(counts + first, end - first);
    } else {
      std::int32_t before = SumBefore(shared.counts, thread.index);
      for (int i = first; i < end; ++i) {
        const std::int32_t count = counts[i];
        counts[i] = before;
        before += count;
      }
      if (thread.index == Shape::kThreads - 1) *total = before;
    }
  }
};

/// Labels the first pixel of each component with the component's number: ~1, ~2, ... in reading
/// order.
struct NumberComponentsKernel {
  static constexpr KernelId kId = KernelId::kNumberComponents;
  using Shape = BlockShape<2, CountsOfThreads>;

  LabelPart part;
  const std::int32_t* before = nullptr;  ///< components before each part

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) {
      std::int32_t count = 0;
      part.ForThread(thread, [&](std::int32_t pixel, std::int32_t label) {
        if (label == pixel) ++count;
      });
      shared.counts[thread.index] = count;
    } else {
      std::int32_t number = before[thread.block_x] + SumBefore(shared.counts, thread.index);
      part.ForThread(thread, [&](std::int32_t pixel, std::int32_t label) {
        if (label == pixel) part.labels[pixel] = ~++number;
      });
    }
  }
};

/// What is gathered of a component; grows from 0 throughout.
struct ComponentSums {
  std::uint64_t area = 0;
  std::uint64_t sum = 0;          ///< modulo 2^64
  std::int32_t to_the_right = 0;  ///< from the leftmost column to the right border of the plane
  std::int32_t below = 0;         ///< from the first row to the lower border
  std::int32_t columns = 0;       ///< up to the rightmost column
  std::int32_t rows = 0;          ///< up to the last row
};

/// Writes the numbers of components, and gathers what each is, run after run of a tile.
struct WriteComponentsKernel {
  static constexpr KernelId kId = KernelId::kWriteComponents;
  using Shape = PixelShape;

  const std::int32_t* labels = nullptr;
  Image<const std::int32_t> values;  ///< without data: none
  Image<std::int32_t> numbers;
  ComponentSums* sums = nullptr;  ///< by number - 1, all 0 before

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, numbers.width);
    if (x >= numbers.width || y >= numbers.height) return;
    const std::int32_t* row = labels + std::int64_t{y} * numbers.width;
    const std::int32_t label = row[x];
    const std::int32_t number = ~(label < 0 ? label : labels[label]);
    numbers.At(x, y) = number;
    const bool begins = x % kTileWidth == 0 || row[x - 1] == kNotSet;
    if (label != kNotSet && begins) Reduce(sums[number - 1], row, x, y);
  }

 private:
  GLINT_HOST_DEVICE static void Grow(std::int32_t* value, std::int32_t to) {
    if (AtomicLoad(value) < to) AtomicMax(value, to);
  }

  GLINT_HOST_DEVICE void Reduce(ComponentSums& of, const std::int32_t* row, int x, int y) const {
    std::int64_t sum = 0;
    int end = x;
    do {
      if (values.data != nullptr) sum += values.At(end, y);
      ++end;
    } while (end < numbers.width && end % kTileWidth != 0 && row[end] != kNotSet);
    AtomicAdd(&of.area, static_cast<std::uint64_t>(end - x));
    if (values.data != nullptr) AtomicAdd(&of.sum, static_cast<std::uint64_t>(sum));
    Grow(&of.to_the_right, numbers.width - x);
    Grow(&of.below, numbers.height - y);
    Grow(&of.columns, end);
    Grow(&of.rows, y + 1);
  }
};

}  // namespace glint::cuda
