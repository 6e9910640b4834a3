// SPDX-License-Identifier: Apache-2.0
// From ridges of line evidence to lines: linking, and which paths are significant.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <vector>

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
  int link_px = 1;                ///< px by which ridge pixels are widened to be joined
  int dilation_px = 2;            ///< px that a line is drawn wider than its ridge, to either side
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
    visit("link_px", self.link_px, 0, 50);
    visit("dilation_px", self.dilation_px, 0, 50);
    visit("closing_px", self.closing_px, 0, 50);
  }
};

/// What decides where lines that answer to the light lie.
struct LineParams {
  double weak_energy_medians = 2.1;  ///< a ridge runs where the evidence is above it, in medians of
                                     ///< evidence for like albedo
  double weak_point_medians = 1.2;   ///< and the response to a short line above this
  PathParams paths;

  GLINT_PARAMS(self, visit) {
    visit("weak_energy_medians", self.weak_energy_medians, 0, 1000);
    visit("weak_point_medians", self.weak_point_medians, 0, 1000);
    visit("paths", self.paths);
  }
};

/// Lines and where they lie.
struct Lines {
  Plane ids;   ///< kS32 on the host: 1.. on the ridge pixels of paths[id - 1], else 0
  Plane mask;  ///< kU8 on the host, 0 and 255: those pixels, drawn wider; see
               ///< line_width.h for lines that answer to the light
  std::vector<LinePath> paths;  ///< by the first pixel in reading order
};

/// Joins ridge pixels to paths across gaps of up to twice `link_px` and keeps the significant
/// ones.
/// @param ridges   kU8 on the host, 0 and 255
/// @param energy   kS32 on the host; @param level  of it, for PathParams
/// @param surface  kU8 on the host: not 0 where the object is looked at
/// @param gaps     kU8 on the host: not 0 in gaps of the outline
/// Errors: OUT_OF_MEMORY; INTERNAL when OpenCV fails
absl::StatusOr<Lines> FindLinePaths(const Plane& ridges, const Plane& energy, std::int32_t level,
                                    const Plane& surface, const Plane& gaps,
                                    const PathParams& params);

}  // namespace glint::photometric
