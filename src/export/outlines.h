// SPDX-License-Identifier: Apache-2.0
// Masks as polygons along the borders of pixels.
#pragma once

#include <vector>

#include "export/annotations.h"

namespace glint {

/// A corner of pixels: pixel x reaches from x to x + 1.
struct PixelCorner {
  int x = 0;
  int y = 0;
  bool operator==(const PixelCorner&) const = default;
};

/// Closed: the last corner is joined to the first. Clockwise as displayed.
using Polygon = std::vector<PixelCorner>;

/// The outlines of an annotation's pieces, in pixels of its picture. Filled, they are its mask to
/// the pixel, and their areas add up to it: pixels that only share a corner are pieces of their
/// own, and a hole is joined to the outline by a cut of no width, along which the polygon goes
/// there and back.
std::vector<Polygon> Outlines(const Annotation& annotation);

}  // namespace glint
