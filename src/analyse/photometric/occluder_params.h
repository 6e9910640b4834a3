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
  int clipped_grey = 240;          ///< a value from which on a colour may be cut off
  double dark_light = 0.02;        ///< linear light, 1 at 255, in which colours drown
  double max_gain_ratio = 2;       ///< of a print's colour, relative to the whole view's gain
  double high_distance_grey = 20;  ///< chroma distance of a seed (2x2 cells) ...
  double low_distance_grey = 10;   ///< ... which reaches as far as that (hysteresis)
  double same_chroma = 0.15;       ///< and on over what has its own chroma, relative to its luma
  int min_seed_cells = 4;          ///< fewer are noise
  int max_growth_ratio = 4;        ///< times as large: beyond, its chroma is that of the print,
  double nearer_ratio = 2;         ///< unless it is so many times nearer to it than the print's is
  int rim_cells = 2;               ///< from the object's border: it reaches in from beside
  int margin_cells = 2;            ///< around it: shade, and the blur of its edge
  int persistent_percent = 35;  ///< of the views that show a cell: with more occluded, the albedo
                                ///< there is a guess

  GLINT_PARAMS(self, visit) {
    visit("clipped_grey", self.clipped_grey, 1, 256);
    visit("dark_light", self.dark_light, 1e-6, 1);
    visit("max_gain_ratio", self.max_gain_ratio, 0, 100);
    visit("high_distance_grey", self.high_distance_grey, 0, 255);
    visit("low_distance_grey", self.low_distance_grey, 0, 255);
    visit("same_chroma", self.same_chroma, 0, 10);
    visit("min_seed_cells", self.min_seed_cells, 1, 10000);
    visit("max_growth_ratio", self.max_growth_ratio, 1, 10000);
    visit("nearer_ratio", self.nearer_ratio, 0, 100);
    visit("rim_cells", self.rim_cells, 0, 100);
    visit("margin_cells", self.margin_cells, 0, 100);
    visit("persistent_percent", self.persistent_percent, 0, 100);
  }
};

/// What decides the light of a view where something occludes it.
struct InpaintingParams {
  int gain_radius_cells = 2;  ///< of the cells around whose brightness says what the gain is
  int max_iterations = 200;   ///< of Laplace's equation: a hand's breadth of cells
  double relaxation = 1.7;    ///< successive over-relaxation (D. Young, 1954)
  double tolerance = 1e-9;    ///< of the median gain: a step that moves no cell further is the last

  GLINT_PARAMS(self, visit) {
    visit("gain_radius_cells", self.gain_radius_cells, 1, 100);
    visit("max_iterations", self.max_iterations, 1, 100000);
    visit("relaxation", self.relaxation, 0.1, 1.99);
    visit("tolerance", self.tolerance, 0, 1);
  }
};

}  // namespace glint::photometric
