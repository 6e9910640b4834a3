// SPDX-License-Identifier: Apache-2.0
#include "decode/luma.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace glint {
namespace {

// FullRangeLuma for 8-bit limited range, in 16-bit steps that compilers turn into vector code:
// v * 255 / 219 = v + v * 36 / 219, and 219 is odd, so adding 109 rounds to nearest.
void ExpandRow(const std::uint8_t* from, int count, std::uint8_t* to) {
  for (int x = 0; x < count; ++x) {
    const auto v = static_cast<std::uint16_t>(std::max<int>(from[x], 16) - 16);
    const auto more = static_cast<std::uint16_t>(static_cast<std::uint16_t>(v * 36 + 109) / 219);
    to[x] = static_cast<std::uint8_t>(std::min(v + more, 255));
  }
}

// The 8-bit value of every sample of so many bits.
std::vector<std::uint8_t> Table(int depth, bool full_range) {
  std::vector<std::uint8_t> table(std::size_t{1} << depth);
  for (int sample = 0; sample < 1 << depth; ++sample) {
    table[static_cast<std::size_t>(sample)] = FullRangeLuma(sample, depth, full_range);
  }
  return table;
}

}  // namespace

Plane PictureToLuma(const PlanarPicture& picture, Orientation orientation) {
  const int depth = picture.layout.depth;
  const int width = picture.size.width;
  const auto make = [&](const auto& row) {
    return MakeDisplayed(picture.size, PixelType::kU8, orientation, row);
  };
  const auto coded_row = [&](int y) { return picture.data[0] + y * picture.stride[0]; };
  if (depth == 8 && picture.full_range) {
    return make([&](int y, std::uint8_t* out) {
      std::memcpy(out, coded_row(y), static_cast<std::size_t>(width));
    });
  }
  if (depth == 8) {
    return make([&](int y, std::uint8_t* out) { ExpandRow(coded_row(y), width, out); });
  }
  const std::vector<std::uint8_t> table = Table(depth, picture.full_range);
  std::vector<std::uint16_t> samples(static_cast<std::size_t>(width));
  return make([&](int y, std::uint8_t* out) {
    ReadRow(picture, 0, y, width, samples.data());
    for (const std::uint16_t sample : samples) *out++ = table[sample];
  });
}

}  // namespace glint
