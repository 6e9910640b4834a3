// SPDX-License-Identifier: Apache-2.0
// Rows of pictures with samples of eight bits as R, G, B, in integers of 16 and 32 bits, with the
// best instruction set of this machine: the same bytes with any, and as by MakeRgbRow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "decode/rgb_row.h"

namespace glint {

/// Values that may be read and written behind a row of chroma.
inline constexpr std::size_t kByteRowPadding = 128;

/// out[i] = first[i] * first_weight + second[i] * second_weight; below 2^15.
/// @param out  as many as `first` and `second` have
void BlendBytes(std::span<const std::uint8_t> first, std::span<const std::uint8_t> second,
                int first_weight, int second_weight, std::int16_t* out);

/// How the two pixels of a chroma sample are mixed from the sample before, itself, and the next.
struct PixelPairWeights {
  std::array<std::int16_t, 3> even{}, odd{};
};

/// Two pixels for each sample.
/// @param samples  readable from one before the first to kByteRowPadding behind the last
/// @param out      writable up to kByteRowPadding behind the last; values below 2^15
void SpreadSamples(const std::int16_t* samples, std::size_t count, const PixelPairWeights& weights,
                   std::int16_t* out);

/// Y, U and V of a row of pixels, U and V as interpolated, with RgbGains::chroma_zero.
struct ByteYuvRow {
  std::span<const std::uint8_t> y;
  const std::int16_t *u, *v;  ///< as many as `y` has
};

/// R, G and B of every pixel, rounded to nearest, halves up.
/// @param gains  of samples of eight bits
void MakeRgbRowOfBytes(const ByteYuvRow& row, const RgbGains& gains, std::uint8_t* out);

}  // namespace glint
