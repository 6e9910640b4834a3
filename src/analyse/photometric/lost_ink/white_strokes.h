// SPDX-License-Identifier: Apache-2.0
// White strokes of the print: outlined ones, and such as widen, as the tail of a speech balloon.
#pragma once

#include <array>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "analyse/photometric/lost_ink/paper_dashes.h"
#include "base/params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What tells a white stroke of the print from ink that broke off. Object pixels.
struct WhiteStrokeParams {
  using Distances = std::array<int, 2>;

  /// by which a place is brighter than the brighter of its sides, or it tells nothing
  GLINT_PARAM(double, min_grey, 0.1, 255) = 8;
  /// places that tell something
  GLINT_PARAM(int, min_places, 1, 1000) = 3;
  /// from its middle to where those sides lie
  GLINT_PARAM(int, side_px, 1, 50) = 4;
  /// from its middle to an outline
  GLINT_PARAM(Distances, outline_px, 1, 50) = {3, 4};
  /// from there to the print beyond the outline
  GLINT_PARAM(int, beyond_px, 1, 50) = 3;
  /// by which that print is brighter than the outline, of what the stroke is: on both sides it is
  /// drawn, on one it may be what the print shows there
  GLINT_PARAM(double, min_outline_share, 0, 10) = 0.15;
  /// beyond an end, where a stroke goes on with its outline though the line itself shows none: it
  /// crosses what is as dark as that
  GLINT_PARAM(int, goes_on_px, 1, 500) = 30;
  /// of those places, that are outlined on both sides, each by itself
  GLINT_PARAM(double, min_goes_on_share, 0, 1) = 0.9;

  /// from the line to the sides that are half of what its width is told by
  GLINT_PARAM(int, level_side_px, 1, 50) = 5;
  /// beyond an end, where it is first measured
  GLINT_PARAM(Distances, near_px, 1, 100) = {1, 3};
  /// and again
  GLINT_PARAM(Distances, far_px, 1, 100) = {5, 7};
  /// from its own width to that one
  GLINT_PARAM(double, min_widening_px, 0, 50) = 2;
  /// there: what opens at once into much more is a dash that meets bare paper
  GLINT_PARAM(double, max_width_px, 1, 100) = 14;
};

/// Whether a bright line has a dark outline on both of its sides, or goes on beyond one of its ends
/// with one: what is drawn runs on where a crease ends.
/// @param albedo  kS16 on the host, 1/64 grey
bool IsOutlined(const StraightLine& line, const Plane& albedo, const WhiteStrokeParams& params);

/// Whether a bright line goes on beyond one of its ends and grows wider bit by bit.
/// @param albedo  as of IsOutlined
bool Widens(const StraightLine& line, const Plane& albedo, const WhiteStrokeParams& params);

/// Those that are no outlined strokes.
std::vector<FoundLine> WithoutOutlined(std::vector<FoundLine> lines, const Plane& albedo,
                                       const WhiteStrokeParams& params);

/// Those dashes that are neither outlined nor widen.
std::vector<PaperDash> WithoutStrokes(std::vector<PaperDash> dashes, const Plane& albedo,
                                      const WhiteStrokeParams& params);

}  // namespace glint::photometric
