// SPDX-License-Identifier: Apache-2.0
#include "decode/orientation.h"

#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace glint {
namespace {

static_assert(std::endian::native == std::endian::little, "a block's first byte is its lowest");

constexpr double kHalfADegree = 0.0087;  // tangent

/// How columns of a strip become parts of displayed rows, written from left to right.
struct Turned {
  const std::uint8_t* leftmost;  // of the strip's pixels, what becomes the leftmost one
  std::ptrdiff_t step;           // from there to what becomes the next
  int left;                      // column of it
  int first_row, row_step;       // what the strip's first column becomes, and the next

  Turned(const std::uint8_t* strip, int first, int rows, Size coded, Orientation orientation,
         int bytes)
      : leftmost(strip),
        step(std::ptrdiff_t{coded.width} * bytes),
        left(orientation.flip_x ? coded.height - first - rows : first),
        first_row(orientation.flip_y ? coded.width - 1 : 0),
        row_step(orientation.flip_y ? -1 : 1) {
    if (!orientation.flip_x) return;
    leftmost += (rows - 1) * step;
    step = -step;
  }

  template <int kBytes>
  void PlaceColumn(int x, int begin, int rows, const Plane& out) const {
    std::uint8_t* to =
        out.Row<std::uint8_t>(first_row + row_step * x) + std::ptrdiff_t{left + begin} * kBytes;
    const std::uint8_t* from = leftmost + begin * step + std::ptrdiff_t{x} * kBytes;
    for (int i = begin; i < rows; ++i, to += kBytes, from += step) std::memcpy(to, from, kBytes);
  }
};

/// Exchanges rows and columns of eight bytes times eight.
void Transpose(std::array<std::uint64_t, 8>& rows) {
  const auto exchange = [&](std::size_t away, std::uint64_t mask) {
    const int bits = 8 * static_cast<int>(away);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if ((i & away) != 0) continue;
      const std::uint64_t differ = ((rows[i] >> bits) ^ rows[i + away]) & mask;
      rows[i + away] ^= differ;
      rows[i] ^= differ << bits;
    }
  };
  exchange(4, 0x00000000ffffffff);
  exchange(2, 0x0000ffff0000ffff);
  exchange(1, 0x00ff00ff00ff00ff);
}

void PlaceTransposedGrey(const Turned& turned, int rows, Size coded, const Plane& out) {
  constexpr int kSide = 8;
  const int whole_rows = rows / kSide * kSide;
  const int whole_columns = coded.width / kSide * kSide;
  for (int x = 0; x < whole_columns; x += kSide) {
    for (int begin = 0; begin < whole_rows; begin += kSide) {
      std::array<std::uint64_t, kSide> block;
      for (int i = 0; i < kSide; ++i) {
        std::memcpy(&block[static_cast<std::size_t>(i)],
                    turned.leftmost + (begin + i) * turned.step + x, kSide);
      }
      Transpose(block);
      for (int i = 0; i < kSide; ++i) {
        std::memcpy(out.Row<std::uint8_t>(turned.first_row + turned.row_step * (x + i)) +
                        turned.left + begin,
                    &block[static_cast<std::size_t>(i)], kSide);
      }
    }
  }
  for (int x = 0; x < coded.width; ++x) {
    turned.PlaceColumn<1>(x, x < whole_columns ? whole_rows : 0, rows, out);
  }
}

/// As the pixels of a displayed row are written from left to right, every one but the last may be
/// written with a byte too many.
void PlaceTransposedColour(const Turned& turned, int rows, Size coded, const Plane& out) {
  for (int x = 0; x + 1 < coded.width; ++x) {
    std::uint8_t* to = out.Row<std::uint8_t>(turned.first_row + turned.row_step * x) +
                       std::ptrdiff_t{3} * turned.left;
    const std::uint8_t* from = turned.leftmost + std::ptrdiff_t{3} * x;
    for (int i = 0; i + 1 < rows; ++i, to += 3, from += turned.step) std::memcpy(to, from, 4);
    std::memcpy(to, from, 3);
  }
  turned.PlaceColumn<3>(coded.width - 1, 0, rows, out);  // its last pixel ends the strip
}

template <int kBytes>
void PlaceTransposed(const std::uint8_t* strip, int first, int rows, Size coded,
                     Orientation orientation, const Plane& out) {
  const Turned turned(strip, first, rows, coded, orientation, kBytes);
  if constexpr (kBytes == 1) {
    PlaceTransposedGrey(turned, rows, coded, out);
  } else {
    PlaceTransposedColour(turned, rows, coded, out);
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
