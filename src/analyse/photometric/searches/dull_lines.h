// SPDX-License-Identifier: Apache-2.0
// Dark lines that stay dull where the sheet around them shines.
#pragma once

#include <span>
#include <vector>

#include "analyse/photometric/lines/found_lines.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What decides that a dark stroke of the artwork is no print. Object pixels; "across" is to either
/// side of it.
struct DullLineParams {
  /// that are tried, over half a turn
  GLINT_PARAM(int, directions, 4, 64) = 16;
  /// to either side of a pixel, along: the piece whose mean is compared
  GLINT_PARAM(int, reach_px, 2, 100) = 12;
  /// across, to the parallels it is compared with
  GLINT_PARAM(int, side_px, 2, 50) = 4;
  /// of the artwork, by which it is darker than both parallels: a stroke
  GLINT_PARAM(double, min_stroke_grey, 0, 255) = 4;
  /// across, where the stroke may lie in a view: registration is not perfect
  GLINT_PARAM(int, shift_px, 0, 10) = 2;
  /// of the views that show it: the brightest beside it, and as many of the darkest
  GLINT_PARAM(double, views_share, 0.01, 0.5) = 0.2;
  /// of them; with fewer it says nothing
  GLINT_PARAM(int, min_views, 1, 255) = 3;
  /// beside it in the darkest of all: where a view is blacker cameras show no contrast, and it
  /// cannot be told
  GLINT_PARAM(double, min_beside_grey, 0, 255) = 40;
  /// by which the brightest are brighter than the darkest, as a share
  GLINT_PARAM(double, min_brighter_share, 0, 10) = 0.15;
  /// of its contrast, as a share of what is beside it, in the brightest views
  GLINT_PARAM(double, min_contrast, 0, 2) = 0.08;
  /// over that in the darkest
  GLINT_PARAM(double, min_ratio, 1, 100) = 2;
  /// of all strokes, that are dull: with more the sheet is foil, say, and its ink is dull
  GLINT_PARAM(double, max_share, 0, 1) = 0.05;
  /// around such a place, where another touches that is of the same line: gaps of up to twice that
  GLINT_PARAM(int, link_px, 0, 50) = 4;
  /// of a line
  GLINT_PARAM(int, min_length_px, 1, 1000) = 24;
  /// of its length, so many such places
  GLINT_PARAM(double, min_places_share, 0, 1) = 0.6;
  /// across, from its places to it
  GLINT_PARAM(double, max_away_px, 0, 50) = 2;
  /// from one direction that is tried to the next: of a stroke that runs with a line
  GLINT_PARAM(double, max_turn_directions, 0.5, 64) = 1.5;
  /// of the places that touch, that lie so near to it and run with it
  GLINT_PARAM(double, min_turned_share, 0, 1) = 0.8;
  /// across, to either side of a line, where other strokes may run with it
  GLINT_PARAM(int, beside_px, 0, 100) = 14;
  /// of them, per pixel of the line: more are a pattern, a bar code say, that blurs as one
  GLINT_PARAM(double, max_beside, 0, 100) = 0.3;
};

/// Finds scratches and creases that look like a stroke of the print, as they are dark in most
/// views and in the median of all. Of what is printed, light that the surface reflects takes
/// contrast away: it falls on ink and paper alike. A groove sends that light elsewhere, so that it
/// stands out the more the more the sheet around it shines. (Contrast as a share of what is beside,
/// as E. H. Weber's: where a lamp only lights the sheet more, it stays.)
/// @param greys    kU8 on the host, one per view
/// @param valid    kU8, likewise: not 0 where the view shows the object
/// @param albedo   kS16 on the host, 1/64 grey
/// @param surface  kU8 on the host: where lines are looked for
/// @return the surest first; a score is a contrast in the brightest views
std::vector<FoundLine> FindDullLines(std::span<const Plane> greys, std::span<const Plane> valid,
                                     const Plane& albedo, const Plane& surface,
                                     const DullLineParams& params, ThreadPool& pool);

}  // namespace glint::photometric
