// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stages/cuda/kernel.h"

namespace glint::cuda {

/// The smallest or largest value in a window along rows or columns, at a cost that does not grow
/// with the window: M. van Herk, "A fast algorithm for local minimum and maximum filters on
/// rectangular and octagonal kernels", Pattern Recognition Letters 1992; J. Gil and M. Werman,
/// "Computing 2-D min, median, and max filters", PAMI 1993.
///
/// A line is cut into pieces as long as the window. Any window covers the end of one piece and the
/// beginning of the next, so it is the extreme of two values that run through their pieces, one
/// backwards and one forwards. What lies outside of the plane takes no part.
struct VanHerkKernel {
  static constexpr KernelId kId = KernelId::kVanHerk;
  static constexpr int kLongest = 128;  ///< window
  static constexpr int kLines = 32;     ///< of a block
  static constexpr int kOutputs = 128;  ///< of each line
  static constexpr int kSpan = 260;     ///< lines begin in different banks of the shared memory
  static_assert(kSpan >= kOutputs + kLongest - 1);
  struct Memory {
    std::uint8_t backwards[kLines][kSpan];  // at first, what is read
    std::uint8_t forwards[kLines][kSpan];
  };
  using Shape = BlockShape<3, Memory>;

  Image<const std::uint8_t> in;
  Image<std::uint8_t> out;
  bool vertical = false;  ///< lines are columns
  int window = 1;         ///< 1..kLongest
  int before = 0;         ///< that many of them before the pixel, 0..window - 1
  bool largest = false;

  /// How many blocks it takes.
  std::int64_t BlockColumns() const {
    return Tiles(in.width, in.height, TileWidth(vertical), TileHeight(vertical));
  }

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    if constexpr (phase == 0) Load(thread, shared);
    if constexpr (phase == 1) RunThroughPieces(thread, shared);
    if constexpr (phase == 2) Write(thread, shared);
  }

 private:
  GLINT_HOST_DEVICE static int TileWidth(bool vertical) { return vertical ? kLines : kOutputs; }
  GLINT_HOST_DEVICE static int TileHeight(bool vertical) { return vertical ? kOutputs : kLines; }

  GLINT_HOST_DEVICE Pixel Corner(const Thread& thread) const {
    const int width = TileWidth(vertical);
    return TileCorner(thread.block_x, CeilDiv(in.width, width), width, TileHeight(vertical));
  }

  /// A value of a line and its place there; neighbours in memory go to neighbouring threads.
  struct Place {
    int line, along;
  };
  GLINT_HOST_DEVICE Place PlaceOf(int i, int length) const {
    return vertical ? Place{i % kLines, i / kLines} : Place{i / length, i % length};
  }
  GLINT_HOST_DEVICE Pixel PixelAt(Pixel corner, Place place) const {
    return vertical ? Pixel{corner.x + place.line, corner.y + place.along}
                    : Pixel{corner.x + place.along, corner.y + place.line};
  }

  GLINT_HOST_DEVICE std::uint8_t Extreme(std::uint8_t a, std::uint8_t b) const {
    return (a < b) == largest ? b : a;
  }

  GLINT_HOST_DEVICE void Load(const Thread& thread, Shape::Shared& shared) const {
    const Pixel corner = Corner(thread);
    const int length = kOutputs + window - 1;
    for (int i = thread.index; i < kLines * length; i += Shape::kThreads) {
      const Place place = PlaceOf(i, length);
      const auto [x, y] = PixelAt(corner, {place.line, place.along - before});
      const bool inside = x >= 0 && y >= 0 && x < in.width && y < in.height;
      const std::uint8_t nothing = largest ? 0 : 255;
      shared.backwards[place.line][place.along] = inside ? in.At(x, y) : nothing;
    }
  }

  /// One thread per piece of a line.
  GLINT_HOST_DEVICE void RunThroughPieces(const Thread& thread, Shape::Shared& shared) const {
    const int length = kOutputs + window - 1;
    const int pieces = CeilDiv(length, window);
    for (int i = thread.index; i < kLines * pieces; i += Shape::kThreads) {
      std::uint8_t* backwards = shared.backwards[i % kLines];
      std::uint8_t* forwards = shared.forwards[i % kLines];
      const int begin = i / kLines * window, end = Min(begin + window, length);
      forwards[begin] = backwards[begin];
      for (int k = begin + 1; k < end; ++k) {
        forwards[k] = Extreme(forwards[k - 1], backwards[k]);
      }
      for (int k = end - 2; k >= begin; --k) {
        backwards[k] = Extreme(backwards[k + 1], backwards[k]);
      }
    }
  }

  GLINT_HOST_DEVICE void Write(const Thread& thread, const Shape::Shared& shared) const {
    const Pixel corner = Corner(thread);
    for (int i = thread.index; i < kLines * kOutputs; i += Shape::kThreads) {
      const Place place = PlaceOf(i, kOutputs);
      const auto [x, y] = PixelAt(corner, place);
      if (x >= out.width || y >= out.height) continue;
      out.At(x, y) = Extreme(shared.backwards[place.line][place.along],
                             shared.forwards[place.line][place.along + window - 1]);
    }
  }
};

}  // namespace glint::cuda
