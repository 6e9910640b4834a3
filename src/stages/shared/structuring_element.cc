// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "glint/stages.h"

namespace glint {
namespace {

// The ellipse inscribed in the element, row by row, rounded half to even.
void DrawEllipse(Size size, std::vector<std::uint8_t>& cells) {
  const int radius_y = size.height / 2;
  const int radius_x = size.width / 2;
  for (int y = 0; y < size.height; ++y) {
    const int dy = y - radius_y;
    double share = 0;  // of the horizontal radius, squared
    if (radius_y > 0) {
      share = (double{1} * radius_y * radius_y - double{1} * dy * dy) *
              (1.0 / (double{1} * radius_y * radius_y));
    }
    const int dx = static_cast<int>(std::nearbyint(radius_x * std::sqrt(std::max(share, 0.0))));
    const int first = std::max(radius_x - dx, 0);
    const int end = std::min(radius_x + dx + 1, size.width);
    const auto row = cells.begin() + std::ptrdiff_t{y} * size.width;
    std::fill(row + first, row + end, std::uint8_t{1});
  }
}

// distance * slope / 2^16, rounded half away from zero, so that the line is symmetric.
int Along(int distance, std::int64_t slope) {
  const std::int64_t product = distance * slope;
  const std::int64_t rounded = (std::abs(product) * 2 + (1 << 16)) >> 17;
  return static_cast<int>(product < 0 ? -rounded : rounded);
}

// One pixel per step along the axis that the line is closer to. The slope is rounded to 2^-16
// first, so that the last bit of a machine's sine does not decide about a pixel.
void DrawLine(Size size, double angle, std::vector<std::uint8_t>& cells) {
  const double across = std::cos(angle);
  const double up = std::sin(angle);
  const bool flat = std::abs(across) >= std::abs(up);
  const double ratio = flat ? up / across : across / up;
  const auto slope = static_cast<std::int64_t>(std::llround(ratio * 65536.0));
  const int centre_x = size.width / 2;
  const int centre_y = size.height / 2;
  const int steps = flat ? size.width : size.height;
  for (int i = 0; i < steps; ++i) {
    const int x = flat ? i : centre_x - Along(i - centre_y, slope);
    const int y = flat ? centre_y - Along(i - centre_x, slope) : i;
    if (x < 0 || x >= size.width || y < 0 || y >= size.height) continue;
    cells[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
          static_cast<std::size_t>(x)] = 1;
  }
}

}  // namespace

std::vector<std::uint8_t> StructuringElement::Rasterise() const {
  if (size.width < 1 || size.height < 1) return {};
  std::vector<std::uint8_t> cells(static_cast<std::size_t>(size.area()), 0);
  switch (shape) {
    case Shape::kRectangle:
      std::ranges::fill(cells, std::uint8_t{1});
      break;
    case Shape::kEllipse:
      DrawEllipse(size, cells);
      break;
    case Shape::kLine:
      DrawLine(size, angle, cells);
      break;
  }
  return cells;
}

}  // namespace glint
