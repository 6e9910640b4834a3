// SPDX-License-Identifier: Apache-2.0
// Plane geometry of outlines: points, homographies and the object's own coordinates.
#pragma once

#include <cmath>
#include <optional>

#include "glint/picture_side.h"
#include "glint/plane.h"
#include "glint/report.h"
#include "glint/stages.h"

namespace glint {

inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline Point operator*(Point a, double s) { return {a.x * s, a.y * s}; }
inline double Dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
/// Positive when b lies clockwise of a as displayed (y points down).
inline double Cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }
inline double Length(Point a) { return std::sqrt(Dot(a, a)); }
inline double Distance(Point a, Point b) { return Length(a - b); }

/// Where a homography carries a point.
Point Map(const Homography& h, Point p);
/// All four corners mapped.
Quadrilateral Map(const Homography& h, const Quadrilateral& q);
/// The homography that applies `first`, then `then`.
Homography Compose(const Homography& then, const Homography& first);
/// The inverse map; nothing when there is none.
std::optional<Homography> Inverse(const Homography& h);

/// Enclosed area, positive when the corners run clockwise as displayed.
double Area(const Quadrilateral& q);
/// Whether the corners run clockwise as displayed and every one of them bends inwards.
bool IsConvex(const Quadrilateral& q);
/// Mean length of the two diagonals.
double Diagonal(const Quadrilateral& q);
/// Mean distance of corresponding corners.
double CornerDistance(const Quadrilateral& a, const Quadrilateral& b);
/// Whether the point lies inside a convex quadrilateral or on its sides.
bool Contains(const Quadrilateral& q, Point p);

/// Corners of a convex quadrilateral, given in any order around it, as TL, TR, BR, BL by the
/// position at which they are displayed: the side whose outward direction is nearest to straight up
/// becomes the top (at exactly 45 degrees: the one that leans to the left). Whether the artwork
/// itself stands upright is not looked at.
Quadrilateral Ordered(const Quadrilateral& q);

/// Corners as Ordered leaves them, from the object's own TL on, when its own top lies at that side
/// of the picture.
Quadrilateral FromOwnTop(const Quadrilateral& ordered, PictureSide top);

/// The size of the object's own coordinates: the mean lengths of opposite sides, in pixels of the
/// frame, scaled down so that the longer is at most `max_side_px`; at least `min_side_px`
/// each.
Size RectifiedSize(const Quadrilateral& corners, double max_side_px = 1600, int min_side_px = 16);

/// The map from object pixels to frame pixels. Object coordinates (0,0), (w,0), (w,h), (0,h) lie on
/// the corners TL, TR, BR, BL. Pixel centres lie at integers in both, as WarpStage wants it: the
/// centre of the first object pixel lies on the top left corner, that of the last one a pixel
/// inside the bottom right one. This is the convention of cv2.getPerspectiveTransform with
/// cv2.warpPerspective on the same four points. @param corners  convex
Homography FrameFromObject(const Quadrilateral& corners, Size size);

}  // namespace glint
