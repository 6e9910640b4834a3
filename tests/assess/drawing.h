// SPDX-License-Identifier: Apache-2.0
// Planes to assess, drawn by hand.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

template <class T>
void Fill(const Plane& plane, const Rectangle& box, T value) {
  for (int y = box.y; y < box.y + box.height; ++y) {
    std::fill_n(plane.Row<T>(y) + box.x, box.width, value);
  }
}

inline Plane Grey(Size size, std::uint8_t value) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  Fill<std::uint8_t>(plane, {0, 0, size.width, size.height}, value);
  return plane;
}

inline void FillColour(const Plane& plane, const Rectangle& box, std::array<std::uint8_t, 3> rgb) {
  for (int y = box.y; y < box.y + box.height; ++y) {
    for (int x = box.x; x < box.x + box.width; ++x) {
      std::copy(rgb.begin(), rgb.end(), plane.Row<std::uint8_t>(y) + 3 * x);
    }
  }
}

inline Plane Colour(Size size, std::array<std::uint8_t, 3> rgb) {
  Plane plane = Plane::Host(size, PixelType::kU8x3);
  FillColour(plane, {0, 0, size.width, size.height}, rgb);
  return plane;
}

inline Plane NoLabels(Size size) {
  Plane plane = Plane::Host(size, PixelType::kS32);
  Fill<std::int32_t>(plane, {0, 0, size.width, size.height}, 0);
  return plane;
}

/// Draws a line of `width` pixels with an id, and says what a scan would say about it.
inline void DrawLine(const Plane& labels, int id, Point from, Point to, int width) {
  const int steps = 2 * static_cast<int>(std::hypot(to.x - from.x, to.y - from.y)) + 1;
  for (int i = 0; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps;
    const int x = static_cast<int>(std::lround(from.x + t * (to.x - from.x))) - width / 2;
    const int y = static_cast<int>(std::lround(from.y + t * (to.y - from.y))) - width / 2;
    for (int v = std::max(y, 0); v < std::min(y + width, labels.height()); ++v) {
      for (int u = std::max(x, 0); u < std::min(x + width, labels.width()); ++u) {
        labels.Row<std::int32_t>(v)[u] = id;
      }
    }
  }
}

/// The region that the pixels of an id are. @param family  a layer's name
inline DefectRegion RegionOf(const Plane& labels, int id, RegionKind kind,
                             std::string_view family) {
  DefectRegion region{.id = id, .kind = kind};
  region.family = family;
  int right = -1, bottom = -1;
  region.box = {labels.width(), labels.height(), 0, 0};
  for (int y = 0; y < labels.height(); ++y) {
    for (int x = 0; x < labels.width(); ++x) {
      if (labels.Row<std::int32_t>(y)[x] != id) continue;
      ++region.area_px;
      region.box.x = std::min(region.box.x, x);
      region.box.y = std::min(region.box.y, y);
      right = std::max(right, x);
      bottom = std::max(bottom, y);
    }
  }
  region.box.width = right - region.box.x + 1;
  region.box.height = bottom - region.box.y + 1;
  region.length_px = std::hypot(region.box.width, region.box.height);
  region.width_px = static_cast<double>(region.area_px) / region.length_px;
  return region;
}

}  // namespace glint
