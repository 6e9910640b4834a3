// SPDX-License-Identifier: Apache-2.0
#include "analyse/quadrilateral.h"

#include <algorithm>
#include <cmath>

namespace glint {
Point Map(const Homography& h, Point p) {
  const double w = h[6] * p.x + h[7] * p.y + h[8];
  return {(h[0] * p.x + h[1] * p.y + h[2]) / w, (h[3] * p.x + h[4] * p.y + h[5]) / w};
}

Quadrilateral Map(const Homography& h, const Quadrilateral& q) {
  return {Map(h, q[0]), Map(h, q[1]), Map(h, q[2]), Map(h, q[3])};
}

Homography Compose(const Homography& then, const Homography& first) {
  Homography product{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      product[3 * row + column] = then[3 * row] * first[column] +
                                  then[3 * row + 1] * first[3 + column] +
                                  then[3 * row + 2] * first[6 + column];
    }
  }
  return product;
}

std::optional<Homography> Inverse(const Homography& h) {
  const Homography adjugate = {
      h[4] * h[8] - h[5] * h[7], h[2] * h[7] - h[1] * h[8], h[1] * h[5] - h[2] * h[4],
      h[5] * h[6] - h[3] * h[8], h[0] * h[8] - h[2] * h[6], h[2] * h[3] - h[0] * h[5],
      h[3] * h[7] - h[4] * h[6], h[1] * h[6] - h[0] * h[7], h[0] * h[4] - h[1] * h[3]};
  const double determinant = h[0] * adjugate[0] + h[1] * adjugate[3] + h[2] * adjugate[6];
  if (!(std::abs(determinant) > 1e-12) || !(std::abs(adjugate[8]) > 1e-300)) return std::nullopt;
  Homography inverse{};
  std::ranges::transform(adjugate, inverse.begin(), [&](double v) { return v / adjugate[8]; });
  return inverse;
}

double Area(const Quadrilateral& q) { return Cross(q[2] - q[0], q[3] - q[1]) / 2; }

bool IsConvex(const Quadrilateral& q) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (!(Cross(q[(i + 1) % 4] - q[i], q[(i + 2) % 4] - q[(i + 1) % 4]) > 0)) return false;
  }
  return true;
}

double Diagonal(const Quadrilateral& q) {
  return (Distance(q[0], q[2]) + Distance(q[1], q[3])) / 2;
}

double CornerDistance(const Quadrilateral& a, const Quadrilateral& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += Distance(a[i], b[i]);
  return sum / 4;
}

bool Contains(const Quadrilateral& q, Point p) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (Cross(q[(i + 1) % 4] - q[i], p - q[i]) < 0) return false;
  }
  return true;
}

Quadrilateral Ordered(const Quadrilateral& q) {
  Quadrilateral clockwise = q;
  if (Area(q) < 0) std::reverse(clockwise.begin(), clockwise.end());
  // Of a side that runs from corner i to i + 1 clockwise, outwards is up when it runs to the right.
  std::size_t top = 0;
  double most = -2;
  for (std::size_t i = 0; i < 4; ++i) {
    const Point side = clockwise[(i + 1) % 4] - clockwise[i];
    const double length = Length(side);
    if (length == 0) continue;
    // The small lean to the left decides at 45 degrees.
    const double upward = side.x / length - 1e-9 * side.y / length;
    if (upward > most) {
      most = upward;
      top = i;
    }
  }
  std::rotate(clockwise.begin(), clockwise.begin() + static_cast<std::ptrdiff_t>(top),
              clockwise.end());
  return clockwise;
}

Quadrilateral FromOwnTop(const Quadrilateral& ordered, PictureSide top) {
  Quadrilateral own = ordered;
  std::rotate(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(top), own.end());
  return own;
}

Size RectifiedSize(const Quadrilateral& corners, double max_side_px, int min_side_px) {
  const double width = (Distance(corners[0], corners[1]) + Distance(corners[3], corners[2])) / 2;
  const double height = (Distance(corners[0], corners[3]) + Distance(corners[1], corners[2])) / 2;
  const double scale = std::min(1.0, max_side_px / std::max({width, height, 1.0}));
  const auto pixels = [&](double length) {
    return std::max(min_side_px, static_cast<int>(std::lround(length * scale)));
  };
  return {pixels(width), pixels(height)};
}

Homography FrameFromObject(const Quadrilateral& corners, Size size) {
  // P. Heckbert, "Fundamentals of texture mapping and image warping", 1989: unit square to quad.
  const auto& [a, b, c, d] = corners;
  const Point sum = a - b + c - d;
  const Point u = b - c;
  const Point v = d - c;
  const double determinant = Cross(u, v);
  const double g = Cross(sum, v) / determinant;
  const double h = Cross(u, sum) / determinant;
  const double w = size.width;
  const double t = size.height;
  return {(b.x - a.x + g * b.x) / w,
          (d.x - a.x + h * d.x) / t,
          a.x,
          (b.y - a.y + g * b.y) / w,
          (d.y - a.y + h * d.y) / t,
          a.y,
          g / w,
          h / t,
          1};
}

}  // namespace glint
