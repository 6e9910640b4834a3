// SPDX-License-Identifier: Apache-2.0
// Lines as a person would count them: two that cross are two, though they are one region.
#pragma once

#include <cstdint>
#include <vector>

#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// A straight piece of a region.
struct Stroke {
  Point from, to;             ///< its ends, object pixels
  std::vector<Point> pixels;  ///< of the region that lie nearest to it
  Rectangle box;              ///< of those

  double length() const;
};

/// Whether a region may be several strokes that cross: not what is gone or changed its colour.
bool MayCross(const DefectRegion& region);

/// The strokes of a region: several where straight lines meet in it at 20 degrees or more and one
/// of them goes on behind the other; else one, from end to end of the region.
/// @param labels  kS32 on the host: ids of regions
/// @param box     of the region; not empty, and inside the plane
/// @param split   false: it is one, whatever its shape
std::vector<Stroke> StrokesOf(const Plane& labels, int id, const Rectangle& box, bool split);

}  // namespace glint
