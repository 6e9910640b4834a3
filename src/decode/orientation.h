// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "glint/plane.h"

namespace glint {

/// How a coded picture becomes the displayed one: rows and columns are exchanged first, then the
/// result is mirrored left-right and top-bottom. Covers the eight right-angle cases.
struct Orientation {
  bool transpose = false;
  bool flip_x = false;
  bool flip_y = false;

  bool identity() const { return !transpose && !flip_x && !flip_y; }
  Size Displayed(Size coded) const { return transpose ? Size{coded.height, coded.width} : coded; }
  /// Degrees clockwise: 0, 90, 180 or 270; for a mirrored picture those that remain after undoing
  /// its left-right mirroring.
  int degrees_clockwise() const;
  /// @param degrees  0, 90, 180 or 270
  static Orientation Clockwise(int degrees);
  bool operator==(const Orientation&) const = default;
};

/// The orientation that a container's display matrix asks for, and whether that matrix is a right
/// angle (within half a degree); other angles give the nearest one.
struct DisplayMatrix {
  Orientation orientation;
  bool right_angle = true;
};

/// Reads the nine numbers of an ISO display matrix (row major, 16.16 fixed point).
DisplayMatrix ReadDisplayMatrix(const std::int32_t matrix[9]);

/// Puts `rows` coded rows, starting with row `first`, where they belong in the displayed picture.
/// @param strip  the rows, `coded.width` pixels of `out.type()` each, without gaps
void PlaceRows(const std::uint8_t* strip, int first, int rows, Size coded, Orientation orientation,
               const Plane& out);

/// A displayed picture from a function that makes coded rows.
/// @param row  row(y, std::uint8_t* out) writes coded row y; called once for each, in order
template <class RowFunction>
Plane MakeDisplayed(Size coded, PixelType type, Orientation orientation, const RowFunction& row) {
  Plane out = Plane::Host(orientation.Displayed(coded), type);
  if (orientation.identity()) {
    for (int y = 0; y < coded.height; ++y) row(y, out.Row<std::uint8_t>(y));
    return out;
  }
  // A few rows at a time stay in the cache between being made and being placed.
  constexpr int kRows = 32;
  const auto row_bytes = static_cast<std::size_t>(coded.width) * BytesPerPixel(type);
  std::vector<std::uint8_t> strip(row_bytes * kRows);
  for (int first = 0; first < coded.height; first += kRows) {
    const int rows = std::min(kRows, coded.height - first);
    for (int i = 0; i < rows; ++i) row(first + i, strip.data() + row_bytes * i);
    PlaceRows(strip.data(), first, rows, coded, orientation, out);
  }
  return out;
}

}  // namespace glint
