// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/outline_shapes.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analyse/quadrilateral.h"

namespace glint {
namespace {

/// What of a polygon lies on the inner side of the line from `a` to `b` (I. Sutherland, G. Hodgman,
/// "Reentrant polygon clipping", 1974).
std::vector<Point> ClippedBy(const std::vector<Point>& polygon, Point a, Point b) {
  std::vector<Point> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point p = polygon[i];
    const Point q = polygon[(i + 1) % polygon.size()];
    const double at_p = Cross(b - a, p - a);
    const double at_q = Cross(b - a, q - a);
    if (at_p >= 0) kept.push_back(p);
    if ((at_p >= 0) != (at_q >= 0)) kept.push_back(p + (q - p) * (at_p / (at_p - at_q)));
  }
  return kept;
}

double PolygonArea(const std::vector<Point>& polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    twice += Cross(polygon[i], polygon[(i + 1) % polygon.size()]);
  }
  return twice / 2;
}

constexpr Size kUnit = {1, 1};

}  // namespace

std::optional<Quadrilateral> MeetSides(const std::array<OutlineSide, 4>& sides, double min_sine) {
  Quadrilateral met{};
  for (std::size_t i = 0; i < 4; ++i) {
    const OutlineSide& before = sides[(i + 3) % 4];
    const OutlineSide& after = sides[i];
    const Point along = before.to - before.from;
    const Point other = after.to - after.from;
    const double sine = Cross(along, other);
    if (std::abs(sine) < min_sine * Length(along) * Length(other)) return std::nullopt;
    met[i] = before.from + along * (Cross(after.from - before.from, other) / sine);
  }
  return met;
}

Quadrilateral TurnedTowards(const Quadrilateral& outline, const Quadrilateral& other) {
  Quadrilateral best = outline;
  Quadrilateral turned = outline;
  for (int i = 0; i < 3; ++i) {
    std::rotate(turned.begin(), turned.begin() + 1, turned.end());
    if (CornerDistance(turned, other) < CornerDistance(best, other)) best = turned;
  }
  return best;
}

double TurnedCornerDistance(const Quadrilateral& a, const Quadrilateral& b) {
  return CornerDistance(TurnedTowards(a, b), b);
}

Quadrilateral Grown(const Quadrilateral& outline, double factor) {
  const Point middle = (outline[0] + outline[1] + outline[2] + outline[3]) * 0.25;
  Quadrilateral grown = outline;
  for (Point& corner : grown) corner = middle + (corner - middle) * factor;
  return grown;
}

double SharedArea(const Quadrilateral& a, const Quadrilateral& b) {
  std::vector<Point> shared(a.begin(), a.end());
  for (std::size_t i = 0; i < 4 && !shared.empty(); ++i) {
    shared = ClippedBy(shared, b[i], b[(i + 1) % 4]);
  }
  return PolygonArea(shared);
}

double SharedOfSmaller(const Quadrilateral& a, const Quadrilateral& b) {
  return SharedArea(a, b) / std::max(1e-9, std::min(Area(a), Area(b)));
}

double SharedOfBoth(const Quadrilateral& a, const Quadrilateral& b) {
  const double shared = SharedArea(a, b);
  return shared / std::max(1e-9, Area(a) + Area(b) - shared);
}

double CoverageBy(Size picture, const Quadrilateral& outline) {
  const double w = picture.width;
  const double h = picture.height;
  const Quadrilateral all = {{{-0.5, -0.5}, {w - 0.5, -0.5}, {w - 0.5, h - 0.5}, {-0.5, h - 0.5}}};
  return std::clamp(SharedArea(outline, all) / std::max(1e-9, Area(outline)), 0.0, 1.0);
}

double DistanceFromSide(const OutlineSide& side, Point p) {
  const Point run = side.to - side.from;
  const double t = std::clamp(Dot(p - side.from, run) / std::max(1e-9, Dot(run, run)), 0.0, 1.0);
  return Distance(p, side.from + run * t);
}

double DistanceFromSides(const Quadrilateral& outline, Point p) {
  double least = 1e300;
  for (std::size_t i = 0; i < 4; ++i) {
    least = std::min(least, DistanceFromSide({outline[i], outline[(i + 1) % 4]}, p));
  }
  return least;
}

double OutsideBy(const Quadrilateral& outline, const Quadrilateral& other, std::size_t side) {
  const Point a = other[side];
  const Point b = other[(side + 1) % 4];
  const Point along = (b - a) * (1 / Distance(a, b));
  const Point outwards = {along.y, -along.x};
  return Dot(outline[side] + outline[(side + 1) % 4] - a - b, outwards) / 2;
}

std::optional<Homography> Between(const Quadrilateral& from, const Quadrilateral& to) {
  const auto flat = Inverse(FrameFromObject(from, kUnit));
  if (!flat) return std::nullopt;
  return Compose(FrameFromObject(to, kUnit), *flat);
}

}  // namespace glint
