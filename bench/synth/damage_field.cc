// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/damage_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace glint {
namespace {

/// Distances from each pixel of a path's bounding box to the nearest of its points.
struct NearestPoints {
  Rectangle box;
  std::vector<double> squared;
  std::vector<int> nearest;
};

Rectangle BoxAround(const Surface& surface, const DamagePath& path, double reach) {
  double left = std::numeric_limits<double>::max();
  double top = left;
  double right = -left;
  double bottom = -left;
  for (const Point& point : path) {
    left = std::min(left, point.x);
    right = std::max(right, point.x);
    top = std::min(top, point.y);
    bottom = std::max(bottom, point.y);
  }
  const int x0 = std::max(-surface.margin(), static_cast<int>(std::floor(left - reach)));
  const int y0 = std::max(-surface.margin(), static_cast<int>(std::floor(top - reach)));
  const int x1 = std::min(surface.size().width + surface.margin() - 1,
                          static_cast<int>(std::ceil(right + reach)));
  const int y1 = std::min(surface.size().height + surface.margin() - 1,
                          static_cast<int>(std::ceil(bottom + reach)));
  return {x0, y0, std::max(0, x1 - x0 + 1), std::max(0, y1 - y0 + 1)};
}

NearestPoints FindNearest(const Surface& surface, const DamagePath& path, double reach) {
  NearestPoints found{BoxAround(surface, path, reach), {}, {}};
  const Rectangle& box = found.box;
  const auto count = static_cast<std::size_t>(box.width) * static_cast<std::size_t>(box.height);
  found.squared.assign(count, reach * reach);
  found.nearest.assign(count, -1);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const int x0 = std::max(box.x, static_cast<int>(std::ceil(path[i].x - reach)));
    const int x1 = std::min(box.x + box.width - 1, static_cast<int>(std::floor(path[i].x + reach)));
    const int y0 = std::max(box.y, static_cast<int>(std::ceil(path[i].y - reach)));
    const int y1 =
        std::min(box.y + box.height - 1, static_cast<int>(std::floor(path[i].y + reach)));
    for (int y = y0; y <= y1; ++y) {
      for (int x = x0; x <= x1; ++x) {
        const double dx = x - path[i].x;
        const double dy = y - path[i].y;
        const auto at = static_cast<std::size_t>(y - box.y) * static_cast<std::size_t>(box.width) +
                        static_cast<std::size_t>(x - box.x);
        if (dx * dx + dy * dy >= found.squared[at]) continue;
        found.squared[at] = dx * dx + dy * dy;
        found.nearest[at] = static_cast<int>(i);
      }
    }
  }
  return found;
}

std::vector<double> Lengths(const DamagePath& path) {
  std::vector<double> along(path.size());
  for (std::size_t i = 1; i < path.size(); ++i) {
    const double dx = path[i].x - path[i - 1].x;
    const double dy = path[i].y - path[i - 1].y;
    along[i] = along[i - 1] + std::sqrt(dx * dx + dy * dy);
  }
  return along;
}

/// Signed distance from the line through the path at point `i`.
double Across(const DamagePath& path, std::size_t i, int x, int y) {
  const Point& before = path[i > 1 ? i - 2 : 0];
  const Point& after = path[std::min(i + 2, path.size() - 1)];
  const double dx = after.x - before.x;
  const double dy = after.y - before.y;
  const double length = std::max(1e-9, std::sqrt(dx * dx + dy * dy));
  return (dx * (y - path[i].y) - dy * (x - path[i].x)) / length;
}

}  // namespace

void ForEachNear(const Surface& surface, const DamagePath& path, double reach,
                 const std::function<void(int x, int y, const NearPath&)>& visit) {
  const NearestPoints found = FindNearest(surface, path, reach);
  const std::vector<double> along = Lengths(path);
  std::size_t at = 0;
  for (int y = found.box.y; y < found.box.y + found.box.height; ++y) {
    for (int x = found.box.x; x < found.box.x + found.box.width; ++x, ++at) {
      if (found.nearest[at] < 0) continue;
      const auto i = static_cast<std::size_t>(found.nearest[at]);
      const double across = Across(path, i, x, y);
      const double distance = std::sqrt(found.squared[at]);
      // Between two points the perpendicular is nearer than either of them; beyond an end it is
      // not.
      const bool at_end = i == 0 || i + 1 == path.size();
      visit(x, y, {at_end ? distance : std::abs(across), across, along[i], along.back()});
    }
  }
}

void MarkId(const Surface& surface, const Plane& ids, int x, int y, int id) {
  if (!surface.OnObject(x, y)) return;
  std::uint8_t& mark = ids.Row<std::uint8_t>(y)[x];
  if (mark == 0) mark = static_cast<std::uint8_t>(id);
}

}  // namespace glint
