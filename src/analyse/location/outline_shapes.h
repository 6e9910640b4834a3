// SPDX-License-Identifier: Apache-2.0
// Geometry of several outlines of one thing.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "glint/plane.h"
#include "glint/report.h"
#include "glint/stages.h"

namespace glint {

/// A side, or the line through it.
struct OutlineSide {
  Point from;
  Point to;
};

/// The outline whose sides lie on these lines, in order; nothing when the sine of the angle between
/// two of them is below `min_sine`.
std::optional<Quadrilateral> MeetSides(const std::array<OutlineSide, 4>& sides, double min_sine);

/// The same outline, its corners counted from the one that makes it nearest to `other`.
Quadrilateral TurnedTowards(const Quadrilateral& outline, const Quadrilateral& other);

/// Mean distance of the corners, whichever of them is counted first.
double TurnedCornerDistance(const Quadrilateral& a, const Quadrilateral& b);

/// The outline grown about its middle.
Quadrilateral Grown(const Quadrilateral& outline, double factor);

/// The area that two convex clockwise outlines share.
double SharedArea(const Quadrilateral& a, const Quadrilateral& b);

/// Of the smaller one's area; and of both together.
double SharedOfSmaller(const Quadrilateral& a, const Quadrilateral& b);
double SharedOfBoth(const Quadrilateral& a, const Quadrilateral& b);

/// Share of the outline inside a picture.
double CoverageBy(Size picture, const Quadrilateral& outline);

/// Distance of a point from a side.
double DistanceFromSide(const OutlineSide& side, Point p);

/// Distance of a point from the nearest side.
double DistanceFromSides(const Quadrilateral& outline, Point p);

/// Mean distance by which a side of an outline lies outside of the other's, across it, wherever
/// along it the two begin and end; negative inside of it. @param other  turned towards the outline
double OutsideBy(const Quadrilateral& outline, const Quadrilateral& other, std::size_t side);

/// The homography that carries one outline's corners to the other's.
std::optional<Homography> Between(const Quadrilateral& from, const Quadrilateral& to);

}  // namespace glint
