// SPDX-License-Identifier: Apache-2.0
#include "image/shrink.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace glint {
namespace {

/// One side of the picture: how `from` pixels become `to`. Lengths are counted in 1/to of an old
/// pixel, in which a new pixel is `from` long and both are whole numbers.
struct Axis {
  std::int64_t from;
  std::int64_t to;

  /// First old pixel under the new pixel `i`, and the one after the last.
  std::int64_t First(std::int64_t i) const { return i * from / to; }
  std::int64_t End(std::int64_t i) const { return ((i + 1) * from + to - 1) / to; }
  /// How much of the old pixel `k` the new pixel `i` covers, 0..to.
  std::int64_t Weight(std::int64_t i, std::int64_t k) const {
    return std::min((k + 1) * to, (i + 1) * from) - std::max(k * to, i * from);
  }
};

Size Fit(Size size, int max_side) {
  const std::int64_t longer = std::max(size.width, size.height);
  const auto scaled = [&](std::int64_t side) {
    return static_cast<int>(std::max<std::int64_t>(1, (side * max_side + longer / 2) / longer));
  };
  return {scaled(size.width), scaled(size.height)};
}

}  // namespace

Plane ShrinkToFit(const Plane& plane, int max_side) {
  if (std::max(plane.width(), plane.height()) <= max_side) return plane;
  Plane small = Plane::Host(Fit(plane.size(), max_side), plane.type());
  const int channels = BytesPerPixel(plane.type());
  const Axis across{plane.width(), small.width()};
  const Axis down{plane.height(), small.height()};
  const std::int64_t area = across.from * down.from;
  const std::size_t row_values = static_cast<std::size_t>(plane.width()) * channels;
  std::vector<std::uint32_t> column_sums(row_values);  // <= 255 * the old height
  for (int y = 0; y < small.height(); ++y) {
    std::fill(column_sums.begin(), column_sums.end(), 0);
    for (std::int64_t k = down.First(y); k < down.End(y); ++k) {
      const auto weight = static_cast<std::uint32_t>(down.Weight(y, k));
      const std::uint8_t* row = plane.Row<std::uint8_t>(static_cast<int>(k));
      for (std::size_t i = 0; i < row_values; ++i) column_sums[i] += weight * row[i];
    }
    std::uint8_t* out = small.Row<std::uint8_t>(y);
    for (int x = 0; x < small.width(); ++x) {
      for (int c = 0; c < channels; ++c) {
        std::int64_t sum = 0;
        for (std::int64_t k = across.First(x); k < across.End(x); ++k) {
          sum += across.Weight(x, k) * column_sums[static_cast<std::size_t>(k * channels + c)];
        }
        out[x * channels + c] = static_cast<std::uint8_t>((sum + area / 2) / area);
      }
    }
  }
  return small;
}

}  // namespace glint
