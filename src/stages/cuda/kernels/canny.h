// SPDX-License-Identifier: Apache-2.0
// Edges as cv::Canny finds them (3x3 Sobel, L1 norm, border replicated, its rules for ties).
// Hysteresis is reachability: pixels that could be edges are joined with their neighbours into
// components, and those that hold a strong pixel are edges. The result depends on no order.
#pragma once

#include "stages/cuda/kernels/union_find.h"

namespace glint::cuda {

inline constexpr int kMaxThresholds = 8;  ///< pairs that one launch takes
inline constexpr std::int32_t kNoEdge = -1;

/// What a pair of thresholds makes of one picture.
struct CannyMaps {
  std::int32_t low = 0;
  std::int32_t high = 0;
  std::int32_t* labels = nullptr;   ///< a pixel of the same component, or kNoEdge; densely packed
  std::uint8_t* strong = nullptr;   ///< 1 where above `high`; densely packed
  std::uint8_t* reached = nullptr;  ///< 1 at the first pixel of a component with a strong one
  Image<std::uint8_t> edges;
};

/// Finds the pixels that could be edges, and the strong ones; layer i for thresholds i.
struct CannyClassesKernel {
  static constexpr KernelId kId = KernelId::kCannyClasses;
  static constexpr int kSpanX = kTileWidth + 2;  ///< tile and its neighbours
  static constexpr int kSpanY = kTileHeight + 2;
  struct Memory {
    std::int16_t dx[kSpanY][kSpanX];
    std::int16_t dy[kSpanY][kSpanX];
    std::int16_t length[kSpanY][kSpanX];  // |dx| + |dy|; 0 outside of the picture
  };
  using Shape = BlockShape<2, Memory>;

  Image<const std::uint8_t> luma;
  CannyMaps maps[kMaxThresholds];

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) WriteGradients(thread, shared);
    if constexpr (phase == 1) Classify(thread, shared);
  }

 private:
  GLINT_HOST_DEVICE void WriteGradients(const Thread& thread, Shape::Shared& shared) const {
    const Pixel corner =
        TileCorner(thread.block_x, CeilDiv(luma.width, kTileWidth), kTileWidth, kTileHeight);
    for (int i = thread.index; i < kSpanX * kSpanY; i += Shape::kThreads) {
      const int row = i / kSpanX, column = i % kSpanX;
      const int x = corner.x + column - 1, y = corner.y + row - 1;
      int dx = 0, dy = 0;
      if (x >= 0 && y >= 0 && x < luma.width && y < luma.height) {
        const int left = Max(x - 1, 0), right = Min(x + 1, luma.width - 1);
        const std::uint8_t* above = luma.Row(Max(y - 1, 0));
        const std::uint8_t* here = luma.Row(y);
        const std::uint8_t* below = luma.Row(Min(y + 1, luma.height - 1));
        dx = (above[right] - above[left]) + 2 * (here[right] - here[left]) +
             (below[right] - below[left]);
        dy =
            (below[left] - above[left]) + 2 * (below[x] - above[x]) + (below[right] - above[right]);
      }
      shared.dx[row][column] = static_cast<std::int16_t>(dx);
      shared.dy[row][column] = static_cast<std::int16_t>(dy);
      shared.length[row][column] =
          static_cast<std::int16_t>((dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy));
    }
  }

  /// Whether the gradient is largest across the edge.
  GLINT_HOST_DEVICE static bool IsCrest(const Shape::Shared& shared, int column, int row) {
    constexpr int kShift = 15;
    constexpr std::int32_t kTan22 = 13573;  // tan(22.5 degrees) * 2^15
    const std::int32_t length = shared.length[row][column];
    const std::int32_t dx = shared.dx[row][column], dy = shared.dy[row][column];
    const std::int32_t x = dx < 0 ? -dx : dx;
    const std::int32_t y = (dy < 0 ? -dy : dy) << kShift;
    const std::int32_t flat = x * kTan22;
    if (y < flat) {
      return length > shared.length[row][column - 1] && length >= shared.length[row][column + 1];
    }
    const std::int32_t steep = flat + (x << (kShift + 1));
    if (y > steep) {
      return length > shared.length[row - 1][column] && length >= shared.length[row + 1][column];
    }
    const int side = (dx ^ dy) < 0 ? -1 : 1;
    return length > shared.length[row - 1][column - side] &&
           length > shared.length[row + 1][column + side];
  }

  GLINT_HOST_DEVICE void Classify(const Thread& thread, const Shape::Shared& shared) const {
    const auto [x, y] = PixelOf(thread, luma.width);
    if (x >= luma.width || y >= luma.height) return;
    const int column = thread.index % kTileWidth + 1, row = thread.index / kTileWidth + 1;
    const CannyMaps& map = maps[thread.block_y];
    const std::int32_t length = shared.length[row][column];
    const bool possible = length > map.low && IsCrest(shared, column, row);
    const std::int32_t pixel = y * luma.width + x;
    map.labels[pixel] = possible ? pixel : kNoEdge;
    map.strong[pixel] = possible && length > map.high ? 1 : 0;
    map.reached[pixel] = 0;
  }
};

/// What the kernels after the first take: the size of the picture, and what layer i works on.
struct CannyLayers {
  int width = 0;
  int height = 0;
  CannyMaps maps[kMaxThresholds];

  /// Does `work` with the maps of a thread's layer, its pixel, and that pixel's number.
  template <class Work>
  GLINT_HOST_DEVICE void AtPixel(const Thread& thread, const Work& work) const {
    const Pixel pixel = PixelOf(thread, width);
    if (pixel.x < width && pixel.y < height) {
      work(maps[thread.block_y], pixel, std::int32_t{pixel.y} * width + pixel.x);
    }
  }
};

/// Joins every possible edge pixel with its neighbours (to the left and above; they join the rest).
struct CannyJoinKernel {
  static constexpr KernelId kId = KernelId::kCannyJoin;
  using Shape = PixelShape;

  CannyLayers layers;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    layers.AtPixel(thread, [&](const CannyMaps& map, Pixel own, std::int32_t pixel) {
      if (AtomicLoad(map.labels + pixel) == kNoEdge) return;
      const auto join = [&](int to_x, int to_y) {
        if (to_x < 0 || to_x >= layers.width || to_y < 0) return;
        const std::int32_t other = to_y * layers.width + to_x;
        if (AtomicLoad(map.labels + other) != kNoEdge) Join(map.labels, pixel, other);
      };
      join(own.x - 1, own.y);
      join(own.x - 1, own.y - 1);
      join(own.x, own.y - 1);
      join(own.x + 1, own.y - 1);
    });
  }
};

/// Marks the components that hold a strong pixel.
struct CannyReachKernel {
  static constexpr KernelId kId = KernelId::kCannyReach;
  using Shape = PixelShape;

  CannyLayers layers;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    layers.AtPixel(thread, [](const CannyMaps& map, Pixel, std::int32_t pixel) {
      if (map.strong[pixel] != 0) SetFlag(map.reached + FirstOf(map.labels, pixel));
    });
  }
};

/// Writes the edges.
struct CannyWriteKernel {
  static constexpr KernelId kId = KernelId::kCannyWrite;
  using Shape = PixelShape;

  CannyLayers layers;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    layers.AtPixel(thread, [](const CannyMaps& map, Pixel own, std::int32_t pixel) {
      const bool edge =
          map.labels[pixel] != kNoEdge && map.reached[FirstOf(map.labels, pixel)] != 0;
      map.edges.At(own.x, own.y) = edge ? 255 : 0;
    });
  }
};

}  // namespace glint::cuda
