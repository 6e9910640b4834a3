// SPDX-License-Identifier: Apache-2.0
// From ridges of line evidence to lines: linking, and which paths are significant.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <vector>

#include "glint/photometric_stages.h"
#include "glint/report.h"

namespace glint::photometric {

/// Values of evidence that count, in units of what is usual.
inline constexpr double kWeakEnergy = 2.1;
inline constexpr double kWeakPoint = 1.2;

/// Connected ridge pixels that make up a line.
struct LinePath {
  Rectangle box;            ///< of its pixels
  std::int64_t pixels = 0;  ///< on the ridge
  double length = 0;        ///< diagonal of the box, object pixels
  double peak = 0;          ///< largest energy, in usual ones
  double mean = 0;          ///< mean energy, in usual ones
  double score = 0;   ///< mean * length^(1/4): a long weak line counts like a short strong one
  double needed = 0;  ///< score that the rule asked of it, by where it lies
};

/// What decides which paths are lines.
struct PathRule {
  double peak = 3.3;
  double length = 10;
  double score = 9.0;
  double rim_score = 13.0;   ///< along the rim, where the outline's own misfit shows
  double touch_score = 6.5;  ///< starting at a gap in the outline (a tear, a fold at a lost corner)
                             ///< or running from the rim straight inwards (a tick at the spine)
  int rim_band = 14;         ///< px from the rim
  int rim_start = 4;         ///< px from the rim where a line that runs inwards may start
  int touch_reach = 12;      ///< px around a gap
  int link = 1;              ///< px by which ridge pixels are widened to be joined
  int drawn_wider = 2;       ///< px that a line is drawn wider than its ridge, to either side
  int closed = 0;            ///< px: gaps between the ridges of lines up to twice that are filled
};

/// Lines and where they lie.
struct Lines {
  Plane ids;   ///< kS32 on the host: 1.. on the ridge pixels of paths[id - 1], else 0
  Plane mask;  ///< kU8 on the host, 0 and 255: those pixels, drawn wider by the rule; see
               ///< line_width.h for lines that answer to the light
  std::vector<LinePath> paths;  ///< by the first pixel in reading order
};

/// Joins ridge pixels to paths across gaps of up to twice `rule.link` px and keeps the significant
/// ones.
/// @param ridges   kU8 on the host, 0 and 255
/// @param energy   kS32 on the host; @param median  what is usual of it
/// @param surface  kU8 on the host: not 0 where the object is looked at
/// @param gaps     kU8 on the host: not 0 in gaps of the outline
/// Errors: OUT_OF_MEMORY; INTERNAL when OpenCV fails
absl::StatusOr<Lines> FindLinePaths(const Plane& ridges, const Plane& energy, std::int32_t median,
                                    const Plane& surface, const Plane& gaps, const PathRule& rule);

}  // namespace glint::photometric
