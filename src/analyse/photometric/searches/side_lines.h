// SPDX-License-Identifier: Apache-2.0
// Lines that are the object's own edge, where a side was placed beyond it.
#pragma once

#include <opencv2/core.hpp>
#include <vector>

#include "analyse/photometric/lines/line_paths.h"
#include "base/params.h"

namespace glint::photometric {

/// What decides that lines are the object's edge. Object pixels.
struct SideLineParams {
  /// from a side, within which they lie
  GLINT_PARAM(int, reach_px, 2, 100) = 12;
  /// of a line's ridge pixels, that have to
  GLINT_PARAM(double, min_near_share, 0, 1) = 0.9;
  /// of a side, along which such lines run
  GLINT_PARAM(double, min_side_share, 0, 1) = 0.5;
  /// from a line towards the side, but no farther than half-way, to what lies between them
  GLINT_PARAM(int, beyond_px, 1, 20) = 3;
  /// from a line inwards to the object, and from the side outwards to what it lies on
  GLINT_PARAM(int, away_px, 1, 20) = 6;
  /// to either side along a line, that a colour is averaged over
  GLINT_PARAM(int, along_px, 0, 20) = 2;
  /// what lies between line and side has the hue of what lies outside, in the shadow or not, where
  /// it turns from it by less than this part of what it turns from the object's hue
  GLINT_PARAM(double, max_turn_share, 0, 1) = 0.5;
  /// length of each of these colours: black has no hue
  GLINT_PARAM(double, min_colour_grey, 0, 255) = 16;
  /// of the places along a line, where it has, and is no brighter
  GLINT_PARAM(double, min_outside_share, 0, 1) = 0.7;
  /// around a line, that it may be drawn
  GLINT_PARAM(int, drawn_px, 0, 20) = 3;
};

/// Which lines are the object's own edge: what lies between each of them and the side is of the hue
/// of what the object lies on and no brighter, and together they run along most of the side, close
/// to it. An object that does not lie flat throws a shadow, and its edge is plainer than the
/// object's own. Colours are compared by the angle between them. A crease along a spine has the
/// object's colours on both sides.
/// @param ids     kS32 on the host: Lines::ids; @param lines  how many there are
/// @param colour  CV_8UC3 with kBackgroundMargin pixels around the object
/// @return per line
std::vector<bool> AreSides(const Plane& ids, std::size_t lines, const cv::Mat& colour,
                           const SideLineParams& params);

/// The lines without those that are the object's own edge.
Lines DropSides(Lines lines, const cv::Mat& colour, const SideLineParams& params);

}  // namespace glint::photometric
