// SPDX-License-Identifier: Apache-2.0
// What decides where the outline has gaps; apart from the steps, whose headers need OpenCV.
#pragma once

#include "base/params.h"

namespace glint::photometric {

/// What decides which pixels around the object tell the background's colours.
struct BackgroundParams {
  int border_px = 3;             ///< at the picture's border that are not used: resampled edges
  int outline_px = 4;            ///< at the outline that are not used: blur and shadow
  double smoothing_px = 1.0;     ///< sigma of the colours
  double reach_px = 60;          ///< of the ring around a pixel, grows with the object
  int min_ring_pixels = 50;      ///< with fewer in reach, look three times as far
  double min_variance_lab2 = 9;  ///< of the ring's colours, in 8-bit units squared

  GLINT_PARAMS(self, visit) {
    visit("border_px", self.border_px, 0, 10);
    visit("outline_px", self.outline_px, 0, 10);
    visit("smoothing_px", self.smoothing_px, 0.1, 10);
    visit("reach_px", self.reach_px, 1, 10000);
    visit("min_ring_pixels", self.min_ring_pixels, 1, 1000000);
    visit("min_variance_lab2", self.min_variance_lab2, 0.01, 10000);
  }
};

/// What decides that an edge shows. Depths are px inside the outline; the outline is fitted to
/// within 1 px, and lies at -0.5.
struct ObjectEdgeParams {
  int strip_px = 3;           ///< deep: the colours of two such strips are compared
  int first_edge_px = -2;     ///< depth of the first place of the edge
  int last_edge_px = 1;       ///< and of the last
  int outermost_px = -20;     ///< depth of the first pixels outside that are used
  int nearest_px = -5;        ///< and of the last: nearer are the edge, its blur and shadow
  int half_window_px = 30;    ///< along the outline
  int min_mouth_px = 12;      ///< of a gap's mouth in that window
  int mouth_end_px = 2;       ///< at both ends of a mouth that are not used: blur
  double min_clarity = 2.5;   ///< times the root mean square of the steps outside ...
  double min_step_lab = 1.5;  ///< ... that these are taken for at least, difference in Lab
  int screen_px = 3;          ///< radius of what is closed: dots of a printed screen
  int wall_px = 3;            ///< deep that are marked: nothing passes through

  GLINT_PARAMS(self, visit) {
    visit("strip_px", self.strip_px, 1, 4);
    visit("first_edge_px", self.first_edge_px, -3, 0);
    visit("last_edge_px", self.last_edge_px, 0, 3);
    visit("outermost_px", self.outermost_px, -24, -16);
    visit("nearest_px", self.nearest_px, -7, -3);
    visit("half_window_px", self.half_window_px, 0, 1000);
    visit("min_mouth_px", self.min_mouth_px, 1, 1000);
    visit("mouth_end_px", self.mouth_end_px, 0, 100);
    visit("min_clarity", self.min_clarity, 0, 100);
    visit("min_step_lab", self.min_step_lab, 0.01, 255);
    visit("screen_px", self.screen_px, 0, 50);
    visit("wall_px", self.wall_px, 1, 8);
  }
};

/// What decides which gaps are tears, and where they go on.
struct TearParams {
  int min_slenderness = 2;   ///< times as deep as its mouth is wide
  int max_slenderness = 25;  ///< times as deep as it is wide on average: thinner ones are printed
  double max_depth_share = 0.35;  ///< of the object: a deeper gap is something else
  int max_continuation = 3;       ///< times as deep as the gap, at most
  double lips_px = 3;             ///< beside the gap, grows with the object
  double colour_reach_px = 10;    ///< of the colours around, grows with the object
  int min_difference_lab = 12;    ///< from them, 8-bit Lab

  GLINT_PARAMS(self, visit) {
    visit("min_slenderness", self.min_slenderness, 0, 1000);
    visit("max_slenderness", self.max_slenderness, 1, 100000);
    visit("max_depth_share", self.max_depth_share, 0, 1);
    visit("max_continuation", self.max_continuation, 1, 100);
    visit("lips_px", self.lips_px, 0, 100);
    visit("colour_reach_px", self.colour_reach_px, 1, 60);
    visit("min_difference_lab", self.min_difference_lab, 0, 441);
  }
};

/// What decides where the outline has gaps. Distances to the background's colours are squared, in
/// their spreads.
struct OutlineParams {
  float gap_distance = 9;            ///< nearer is certainly background
  float gap_object_share = 0.1F;     ///< of how far the object around is: nearer is, too
  double max_distance = 400;         ///< more than that says nothing
  double object_reach_px = 12;       ///< around, more on large objects: blur does not shrink
  float tight_growth_distance = 12;  ///< shadow and blur along a gap: three limits, the laxest of
  float growth_distance = 16;        ///< which that does not leak is taken
  float lax_growth_distance = 25;    ///< see tight_growth_distance
  int seed_depth_px = 4;             ///< from the outline that a gap reaches
  int min_seed_pixels = 8;           ///< that deep
  double mouth_widening_px = 2;  ///< that a gap may be wider than its mouth, grows with the object
  double max_widening_px = 2;    ///< that growth may widen a gap, grows with the object
  double corner_px = 80;         ///< of a corner that is compared, grows with the object
  int min_corner_pixels = 20;    ///< of a common corner shape
  int corner_margin_px = 2;      ///< that the common shape is widened
  int dilation_px = 2;           ///< that damage is drawn wider
  int rim_px = 3;  ///< inside the outline where no line is looked for: the background shines in
  BackgroundParams background;
  ObjectEdgeParams edge;
  TearParams tears;

  GLINT_PARAMS(self, visit) {
    visit("gap_distance", self.gap_distance, 0, 10000);
    visit("gap_object_share", self.gap_object_share, 0, 1);
    visit("max_distance", self.max_distance, 0, 1000);
    visit("object_reach_px", self.object_reach_px, 0, 1000);
    visit("tight_growth_distance", self.tight_growth_distance, 0, 10000);
    visit("growth_distance", self.growth_distance, 0, 10000);
    visit("lax_growth_distance", self.lax_growth_distance, 0, 10000);
    visit("seed_depth_px", self.seed_depth_px, 0, 7);
    visit("min_seed_pixels", self.min_seed_pixels, 1, 10000);
    visit("mouth_widening_px", self.mouth_widening_px, 0, 1000);
    visit("max_widening_px", self.max_widening_px, 0, 1000);
    visit("corner_px", self.corner_px, 0, 10000);
    visit("min_corner_pixels", self.min_corner_pixels, 1, 10000);
    visit("corner_margin_px", self.corner_margin_px, 0, 50);
    visit("dilation_px", self.dilation_px, 0, 50);
    visit("rim_px", self.rim_px, 0, 50);
    visit("background", self.background);
    visit("edge", self.edge);
    visit("tears", self.tears);
  }
};

}  // namespace glint::photometric
