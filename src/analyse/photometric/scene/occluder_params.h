// SPDX-License-Identifier: Apache-2.0
// What decides where something lies in front of the object; apart from the steps, whose headers
// need OpenCV.
#pragma once

#include "base/params.h"

namespace glint::photometric {

/// What decides that something lies in front of the object. Colours in linear light; a distance of
/// colours is told in grey values. On five scans without a finger no block of 2x2 cells is further
/// than 11 from its print; skin on paper is 40 to 65.
struct OccluderParams {
  /// a value from which on a colour may be cut off
  GLINT_PARAM(int, clipped_grey, 1, 256) = 240;
  /// linear light, 1 at 255, in which colours drown
  GLINT_PARAM(double, dark_light, 1e-6, 1) = 0.02;
  /// of a print's colour, relative to the whole view's gain
  GLINT_PARAM(double, max_gain_ratio, 0, 100) = 2;
  /// chroma distance of a seed (2x2 cells) ...
  GLINT_PARAM(double, high_distance_grey, 0, 255) = 20;
  /// ... which reaches as far as that (hysteresis)
  GLINT_PARAM(double, low_distance_grey, 0, 255) = 10;
  /// and on over what has its own chroma, relative to its luma
  GLINT_PARAM(double, same_chroma, 0, 10) = 0.15;
  /// fewer are noise
  GLINT_PARAM(int, min_seed_cells, 1, 10000) = 4;
  /// times as large: beyond, its chroma is that of the print,
  GLINT_PARAM(int, max_growth_ratio, 1, 10000) = 4;
  /// unless it is so many times nearer to it than the print's is
  GLINT_PARAM(double, nearer_ratio, 0, 100) = 2;
  /// from the object's border: it reaches in from beside
  GLINT_PARAM(int, rim_cells, 0, 100) = 2;
  /// around it: shade, and the blur of its edge
  GLINT_PARAM(int, margin_cells, 0, 100) = 2;
  /// of the views that show a cell: with more occluded, the albedo
  /// there is a guess
  GLINT_PARAM(int, persistent_percent, 0, 100) = 35;
  /// of 8 px around what is so, where straight lines are not looked for: shadow, and a thumb's edge
  GLINT_PARAM(int, line_margin_cells, 0, 100) = 3;
};

/// What decides the light of a view where something occludes it.
struct InpaintingParams {
  /// of the cells around whose brightness says what the gain is
  GLINT_PARAM(int, gain_radius_cells, 1, 100) = 2;
  /// of Laplace's equation: a hand's breadth of cells
  GLINT_PARAM(int, max_iterations, 1, 100000) = 200;
  /// successive over-relaxation (D. Young, 1954)
  GLINT_PARAM(double, relaxation, 0.1, 1.99) = 1.7;
  /// of the median gain: a step that moves no cell further is the last
  GLINT_PARAM(double, tolerance, 0, 1) = 1e-9;
};

}  // namespace glint::photometric
