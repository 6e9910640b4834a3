// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "glint/plane.h"

namespace glint {

/// Where the samples of a luma-chroma picture lie.
struct PixelLayout {
  /// One of Y, U, V.
  struct Component {
    int plane = 0;   ///< index of the picture's planes
    int step = 1;    ///< bytes from one sample to the next
    int offset = 0;  ///< bytes before the first sample of a row
    int shift = 0;   ///< unused low bits of a stored sample
  };
  std::array<Component, 3> components;
  int depth = 8;           ///< significant bits of a sample, 8..16
  bool gray = false;       ///< Y only
  int chroma_shift_x = 0;  ///< log2 of luma columns per chroma column
  int chroma_shift_y = 0;  ///< log2 of luma rows per chroma row

  /// How many of the components there are.
  int count() const { return gray ? 1 : 3; }
  /// Bytes of a stored sample.
  int sample_bytes() const { return depth > 8 ? 2 : 1; }
  /// Samples of a component in a picture of this size.
  Size SizeOf(int component, Size picture) const {
    if (component == 0) return picture;
    return {(picture.width + (1 << chroma_shift_x) - 1) >> chroma_shift_x,
            (picture.height + (1 << chroma_shift_y) - 1) >> chroma_shift_y};
  }
  /// Bytes from the start of a component's row to behind its last sample.
  std::ptrdiff_t RowBytes(int component, Size picture) const {
    const Component& c = components[static_cast<std::size_t>(component)];
    return c.offset + std::ptrdiff_t{SizeOf(component, picture).width - 1} * c.step +
           sample_bytes();
  }
};

/// Whether glint reads pictures of this pixel format, by FFmpeg's name: planar and semi-planar luma
/// and chroma, 8 to 16 bits, little-endian. Not RGB, palettes, packed 4:2:2 or floating point.
bool IsReadablePixelFormat(std::string_view name);

/// The matrix by which R, G, B became Y, U, V.
enum class ColorMatrix { kUnspecified, kBt601, kBt709, kBt2020, kSmpte240m, kFcc };

/// Where the first chroma sample lies: in or between the first luma columns, and the same of rows.
enum class ChromaSite { kLeft, kCenter, kTopLeft, kTop };

/// A decoded picture as the decoder laid it out.
struct PlanarPicture {
  Size size;  ///< as coded
  PixelLayout layout;
  ColorMatrix matrix = ColorMatrix::kUnspecified;
  ChromaSite chroma_site = ChromaSite::kLeft;
  bool full_range = false;
  std::array<const std::uint8_t*, 4> data{};  ///< the first rows of the planes
  std::array<std::ptrdiff_t, 4> stride{};     ///< bytes from one row to the next, any sign
  std::shared_ptr<const void> memory;         ///< keeps the planes
};

/// Writes the samples of one row of a component (0: Y, 1: U, 2: V) as plain numbers.
/// @param y      row of that component
/// @param count  samples
void ReadRow(const PlanarPicture& picture, int component, int y, int count, std::uint16_t* out);

}  // namespace glint
