// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "decode/libav.h"

namespace glint {

/// Where the samples of a luma-chroma picture lie.
struct PixelLayout {
  /// One of Y, U, V.
  struct Component {
    int plane;   ///< index into AVFrame::data
    int step;    ///< bytes from one sample to the next
    int offset;  ///< bytes before the first sample of a row
    int shift;   ///< unused low bits of a stored sample
  };
  std::array<Component, 3> components;
  int depth;           ///< significant bits of a sample, 8..16
  bool gray;           ///< Y only
  int chroma_shift_x;  ///< log2 of luma columns per chroma column
  int chroma_shift_y;  ///< log2 of luma rows per chroma row
};

/// The layout of a pixel format, or nothing when glint does not read it (RGB, palettes, packed
/// 4:2:2, big-endian or floating-point samples, pictures on a device).
std::optional<PixelLayout> LayoutOf(AVPixelFormat format);

/// Writes the samples of one row of a component (0: Y, 1: U, 2: V) as plain numbers.
/// @param y      row of that component
/// @param count  samples
void ReadRow(const AVFrame& frame, const PixelLayout& layout, int component, int y, int count,
             std::uint16_t* out);

}  // namespace glint
