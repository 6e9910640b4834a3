// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace glint {

/// What 8-bit R, G, B gain per unit of Y, U and V (the last two centred, and as interpolated: in
/// units of 1 / chroma_scale), in fixed point.
struct RgbGains {
  static constexpr int kFractionBits = 24;
  std::int64_t y = 0, v_to_red = 0, u_to_green = 0, v_to_green = 0, u_to_blue = 0;
  std::int64_t black = 0;        ///< Y of black
  std::int64_t chroma_zero = 0;  ///< U, V of gray, in units of 1 / chroma_scale
};

/// Y, U and V of a row of pixels, U and V without RgbGains::chroma_zero.
struct YuvRow {
  std::span<const std::uint16_t> y;
  std::span<const std::int32_t> u, v;
};

/// R, G and B of every pixel, rounded to nearest, halves up, with the best instruction set of this
/// machine: the same bytes with any.
void MakeRgbRow(const YuvRow& row, const RgbGains& gains, std::uint8_t* out);

}  // namespace glint
