// SPDX-License-Identifier: Apache-2.0
// From ridges of line evidence to lines: linking, and which paths are significant.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <vector>

#include "analyse/photometric/print_contours.h"
#include "base/params.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint::photometric {

/// Connected ridge pixels that make up a line.
struct LinePath {
  Rectangle box;            ///< of its pixels
  std::int64_t pixels = 0;  ///< on the ridge
  double length = 0;        ///< diagonal of the box, object pixels
  double peak = 0;          ///< largest energy, in levels
  double mean = 0;          ///< mean energy, in levels
  double score = 0;   ///< mean * length^(1/4): a long weak line counts like a short strong one
  double needed = 0;  ///< score that was asked of it, by where it lies
};

/// What decides which paths are lines. Energies are counted in *levels*: what the evidence is where
/// there is no line (LineEvidence's median, StaticLines::deviation).
struct PathParams {
  double min_peak_levels = 3.3;  ///< of the strongest evidence along a path
  double min_length_px = 10;     ///< of a path along its ridge
  double min_score = 9.0;        ///< LinePath::score
  double min_rim_score = 13.0;   ///< along the rim, where the outline's own misfit shows
  double min_touch_score = 6.5;  ///< starting at a gap in the outline (a tear, a fold at a lost
                                 ///< corner) or running from the rim straight inwards (a tick at
                                 ///< the spine)
  int rim_band_px = 14;          ///< px from the rim
  int rim_percent = 95;  ///< of a path's pixels: with more in the band it runs along the rim
  double rim_length_bands = 1.5;  ///< times the band: shorter paths do not run along it
  int rim_start_px = 4;           ///< px from the rim where a line that runs inwards may start
  double inward_share = 0.6;      ///< of its length that it gains in depth
  int touch_reach_px = 12;        ///< px around a gap
  int touch_percent = 10;         ///< of a path's pixels: with more that near it starts at the gap
  double print_cost = 0.45;   ///< of the score asked for, more where all of a path runs along print
  double stroke_cost = 0.3;   ///< the same where all of it lies on a dark stroke of ink
  double stroke_share = 0.7;  ///< of a path that lies on a stroke: above, there is doubt
  double stroke_range = 0.3;  ///< and so much more on top of it all doubt
  double parallel_cost = 0.4;    ///< the same where one contour of the print runs with all of it
  double parallel_share = 0.85;  ///< of a path that a contour runs with: above, there is doubt
  double parallel_range = 0.2;   ///< and so much more on top of it all doubt
  double min_end_share = 0.45;   ///< of the strongest evidence of a line near: less ends it
  int end_reach_px = 0;          ///< px that are near; 0: lines do not end so
  double min_halo_share = 0.6;   ///< of the strongest path near: what is certain besides and has
                                 ///< less is its halo
  int halo_px = 50;              ///< px that are near to it
  int link_px = 1;               ///< px by which ridge pixels are widened to be joined
  int dilation_px = 2;           ///< px that a line is drawn wider than its ridge, to either side
  int closing_px = 0;  ///< px: gaps between the ridges of lines up to twice that are filled

  GLINT_PARAMS(self, visit) {
    visit("min_peak_levels", self.min_peak_levels, 0, 1000);
    visit("min_length_px", self.min_length_px, 0, 10000);
    visit("min_score", self.min_score, 0, 10000);
    visit("min_rim_score", self.min_rim_score, 0, 10000);
    visit("min_touch_score", self.min_touch_score, 0, 10000);
    visit("rim_band_px", self.rim_band_px, 0, 200);
    visit("rim_percent", self.rim_percent, 0, 100);
    visit("rim_length_bands", self.rim_length_bands, 0, 100);
    visit("rim_start_px", self.rim_start_px, 0, 200);
    visit("inward_share", self.inward_share, 0, 1);
    visit("touch_reach_px", self.touch_reach_px, 0, 200);
    visit("touch_percent", self.touch_percent, 0, 100);
    visit("print_cost", self.print_cost, 0, 10);
    visit("stroke_cost", self.stroke_cost, 0, 10);
    visit("stroke_share", self.stroke_share, 0, 1);
    visit("stroke_range", self.stroke_range, 0.01, 1);
    visit("parallel_cost", self.parallel_cost, 0, 10);
    visit("parallel_share", self.parallel_share, 0, 1);
    visit("parallel_range", self.parallel_range, 0.01, 1);
    visit("min_end_share", self.min_end_share, 0, 1);
    visit("end_reach_px", self.end_reach_px, 0, 100);
    visit("min_halo_share", self.min_halo_share, 0, 1);
    visit("halo_px", self.halo_px, 0, 100);
    visit("link_px", self.link_px, 0, 50);
    visit("dilation_px", self.dilation_px, 0, 50);
    visit("closing_px", self.closing_px, 0, 50);
  }
};

/// Lines and where they lie.
struct Lines {
  Plane ids;   ///< kS32 on the host: 1.. on the ridge pixels of paths[id - 1], else 0
  Plane mask;  ///< kU8 on the host, 0 and 255: those pixels, drawn wider; see
               ///< line_width.h for lines that answer to the light
  std::vector<LinePath> paths;  ///< by the first pixel in reading order
};

/// What paths are looked for in. All on the host and of one size.
struct PathInput {
  Plane ridges;                          ///< kU8, 0 and 255
  Plane energy;                          ///< kS32
  std::int32_t level = 1;                ///< of the energy, for PathParams
  Plane surface;                         ///< kU8: not 0 where the object is looked at
  Plane gaps;                            ///< kU8: not 0 in gaps of the outline
  Plane directions;                      ///< kU8: LineEvidence::direction; empty: nothing is linked
  const PrintContours* print = nullptr;  ///< null: nothing is known of the print
  Plane certain{};  ///< kS32: where it is not 0, a ridge pixel is a line's whatever its path says,
                    ///< by so much more than was needed, 1/256; empty: nowhere
};

/// Joins ridge pixels to paths across gaps of up to twice `link_px` and keeps the significant ones.
/// Errors: OUT_OF_MEMORY; INTERNAL when OpenCV fails
absl::StatusOr<Lines> FindLinePaths(const PathInput& input, const PathParams& params);

}  // namespace glint::photometric
