// SPDX-License-Identifier: Apache-2.0
#include "decode/orientation.h"

#include <cassert>
#include <cmath>

namespace glint {
namespace {

constexpr double kHalfADegree = 0.0087;  // tangent

/// A column of the strip becomes part of a displayed row, whose pixels are written from left to
/// right: so every one but the last may be written with a byte too many.
template <int kBytes>
void PlaceTransposed(const std::uint8_t* strip, int first, int rows, Size coded,
                     Orientation orientation, const Plane& out) {
  const std::ptrdiff_t row_bytes = std::ptrdiff_t{coded.width} * kBytes;
  const int left = orientation.flip_x ? coded.height - first - rows : first;
  const std::uint8_t* leftmost = strip + (orientation.flip_x ? (rows - 1) * row_bytes : 0);
  const std::ptrdiff_t step = orientation.flip_x ? -row_bytes : row_bytes;
  for (int x = 0; x < coded.width; ++x) {
    const int y = orientation.flip_y ? coded.width - 1 - x : x;
    std::uint8_t* to = out.Row<std::uint8_t>(y) + std::ptrdiff_t{left} * kBytes;
    const std::uint8_t* from = leftmost + std::ptrdiff_t{x} * kBytes;
    // The strip's last pixel has no byte behind it.
    const int wide = kBytes == 1 || x + 1 == coded.width ? 0 : rows - 1;
    int i = 0;
    for (; i < wide; ++i, to += kBytes, from += step) std::memcpy(to, from, kBytes + 1);
    for (; i < rows; ++i, to += kBytes, from += step) std::memcpy(to, from, kBytes);
  }
}

template <int kBytes>
void PlaceUpright(const std::uint8_t* strip, int first, int rows, Size coded,
                  Orientation orientation, const Plane& out) {
  const std::ptrdiff_t row_bytes = std::ptrdiff_t{coded.width} * kBytes;
  for (int i = 0; i < rows; ++i) {
    const int y = orientation.flip_y ? coded.height - 1 - (first + i) : first + i;
    const std::uint8_t* from = strip + i * row_bytes;
    auto* to = out.Row<std::uint8_t>(y);
    if (!orientation.flip_x) {
      std::memcpy(to, from, static_cast<std::size_t>(row_bytes));
      continue;
    }
    for (int x = 0; x < coded.width; ++x) {
      for (int byte = 0; byte < kBytes; ++byte) {
        to[(coded.width - 1 - x) * kBytes + byte] = from[x * kBytes + byte];
      }
    }
  }
}

template <int kBytes>
void Place(const std::uint8_t* strip, int first, int rows, Size coded, Orientation orientation,
           const Plane& out) {
  if (orientation.transpose) {
    PlaceTransposed<kBytes>(strip, first, rows, coded, orientation, out);
  } else {
    PlaceUpright<kBytes>(strip, first, rows, coded, orientation, out);
  }
}

}  // namespace

int Orientation::degrees_clockwise() const {
  // Clockwise by 90 degrees is a transposition mirrored left-right; by 270 one mirrored top-bottom.
  if (transpose) return flip_y ? 270 : 90;
  return flip_y ? 180 : 0;
}

Orientation Orientation::Clockwise(int degrees) {
  return {.transpose = degrees == 90 || degrees == 270,
          .flip_x = degrees == 90 || degrees == 180,
          .flip_y = degrees == 180 || degrees == 270};
}

DisplayMatrix ReadDisplayMatrix(const std::int32_t matrix[9]) {
  // Displayed x = a * x + c * y, displayed y = b * x + d * y.
  const double a = matrix[0];
  const double b = matrix[1];
  const double c = matrix[3];
  const double d = matrix[4];
  const double along = std::abs(a) + std::abs(d);
  const double across = std::abs(b) + std::abs(c);
  if (a * d - b * c == 0) return {{}, false};  // maps the picture to a line: not to be believed
  DisplayMatrix read;
  read.right_angle = std::min(along, across) <= kHalfADegree * std::max(along, across);
  if (across > along) {
    read.orientation = {.transpose = true, .flip_x = c < 0, .flip_y = b < 0};
  } else {
    read.orientation = {.transpose = false, .flip_x = a < 0, .flip_y = d < 0};
  }
  return read;
}

void PlaceRows(const std::uint8_t* strip, int first, int rows, Size coded, Orientation orientation,
               const Plane& out) {
  if (out.type() == PixelType::kU8) {
    Place<1>(strip, first, rows, coded, orientation, out);
  } else {
    assert(out.type() == PixelType::kU8x3);
    Place<3>(strip, first, rows, coded, orientation, out);
  }
}

}  // namespace glint
