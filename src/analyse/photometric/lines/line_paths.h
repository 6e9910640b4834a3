// SPDX-License-Identifier: Apache-2.0
// From ridges of line evidence to lines: linking, and which paths are significant.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <vector>

#include "analyse/photometric/print/print_contours.h"
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
  double score = 0;      ///< mean * length^(1/4): a long weak line counts like a short strong one
  double needed = 0;     ///< score that was asked of it, by where it lies
  bool bare = false;     ///< bare paper shows it, in every view alike
  bool flanked = false;  ///< its flanks answer to the light; its ridge, between them, need not
};

/// What decides which paths are lines. Energies are counted in *levels*: what the evidence is where
/// there is no line (LineEvidence's median, StaticLines::deviation).
struct PathParams {
  /// of the strongest evidence along a path
  GLINT_PARAM(double, min_peak_levels, 0, 1000) = 3.3;
  /// of a path along its ridge
  GLINT_PARAM(double, min_length_px, 0, 10000) = 10;
  /// LinePath::score
  GLINT_PARAM(double, min_score, 0, 10000) = 9.0;
  /// along the rim, where the outline's own misfit shows
  GLINT_PARAM(double, min_rim_score, 0, 10000) = 13.0;
  /// starting at a gap in the outline (a tear, a fold at a lost corner) or running from the rim
  /// straight inwards (a tick at the spine)
  GLINT_PARAM(double, min_touch_score, 0, 10000) = 6.5;
  /// px from the rim
  GLINT_PARAM(int, rim_band_px, 0, 200) = 14;
  /// of a path's pixels: with more in the band it runs along the rim
  GLINT_PARAM(int, rim_percent, 0, 100) = 95;
  /// times the band: shorter paths do not run along it
  GLINT_PARAM(double, rim_length_bands, 0, 100) = 1.5;
  /// px from the rim where a line that runs inwards may start
  GLINT_PARAM(int, rim_start_px, 0, 200) = 4;
  /// of its length that it gains in depth
  GLINT_PARAM(double, inward_share, 0, 1) = 0.6;
  /// px around a gap
  GLINT_PARAM(int, touch_reach_px, 0, 200) = 12;
  /// of a path's pixels: with more that near it starts at the gap
  GLINT_PARAM(int, touch_percent, 0, 100) = 10;
  /// of the score asked for, more where all of a path runs along print
  GLINT_PARAM(double, print_cost, 0, 10) = 0.45;
  /// the same where all of it lies on a dark stroke of ink
  GLINT_PARAM(double, stroke_cost, 0, 10) = 0.3;
  /// of a path that lies on a stroke: above, there is doubt
  GLINT_PARAM(double, stroke_share, 0, 1) = 0.7;
  /// and so much more on top of it all doubt
  GLINT_PARAM(double, stroke_range, 0.01, 1) = 0.3;
  /// the same where one contour of the print runs with all of it
  GLINT_PARAM(double, parallel_cost, 0, 10) = 0.4;
  /// places to either side of a path where such a contour is looked for
  GLINT_PARAM(int, parallels, 0, 20) = 3;
  /// from one such place to the next
  GLINT_PARAM(int, parallel_step_px, 1, 20) = 2;
  /// of a path that a contour runs with: above, there is doubt
  GLINT_PARAM(double, parallel_share, 0, 1) = 0.85;
  /// and so much more on top of it all doubt
  GLINT_PARAM(double, parallel_range, 0.01, 1) = 0.2;
  /// of the score asked for: enough where no much stronger path is near; 1: nowhere
  GLINT_PARAM(double, lone_share, 0, 1) = 1;
  /// of such a path's pixels that are not the halo of a stronger one
  GLINT_PARAM(double, min_lone_pixels_share, 0, 1) = 0.5;
  /// from a path to the strips on either side whose albedo is compared, to their middle
  GLINT_PARAM(int, edge_strip_px, 2, 20) = 5;
  /// of a path that may lie on an edge of the print, ridge pixels
  GLINT_PARAM(int, min_edge_pixels, 1, 10000) = 50;
  /// between the strips, on average
  GLINT_PARAM(double, min_edge_step_grey, 0, 255) = 10;
  /// added to its deviation along the path
  GLINT_PARAM(double, edge_noise_grey, 0.01, 255) = 2;
  /// the step over that: an edge of the print is the same all
  /// along, while what lies beside damage changes
  GLINT_PARAM(double, min_edge_evenness, 0, 100) = 1.7;
  /// of the evidence asked for, more where a path lies on an edge of the print
  GLINT_PARAM(double, edge_cost, 0, 10) = 0.6;
  /// of a path that may lie on a stroke of the print, ridge pixels
  GLINT_PARAM(int, min_stroke_pixels, 1, 10000) = 10;
  /// by which its pixels are darker than the strips on both sides, on average; that over its
  /// deviation counts like an edge's step
  GLINT_PARAM(double, min_stroke_grey, 0, 255) = 8;
  /// of the evidence asked for, more where a path lies on a stroke of the print; 0: no such path
  GLINT_PARAM(double, even_stroke_cost, 0, 10) = 0.6;
  /// LinePath::score of a path that goes on in line with a kept one, or runs beside it
  GLINT_PARAM(double, min_follower_score, 0, 10000) = 3.0;
  /// of such a path
  GLINT_PARAM(double, min_follower_length_px, 0, 10000) = 5;
  /// how far along a kept path's direction it is looked for
  GLINT_PARAM(int, follow_along_px, 0, 100) = 24;
  /// and how far across
  GLINT_PARAM(int, follow_across_px, 0, 100) = 2;
  /// of its pixels that must lie there, if not its most by the share
  GLINT_PARAM(int, min_follower_pixels, 0, 1000) = 6;
  /// of its pixels
  GLINT_PARAM(double, min_follower_share, 0, 1) = 0.8;
  /// across it, where a kept path lies beside a pixel: a flank is not the line's going on
  GLINT_PARAM(int, follow_beside_px, 0, 100) = 9;
  /// of its pixels that may have a kept path beside them
  GLINT_PARAM(double, max_beside_share, 0, 1) = 0.5;
  /// times that paths join those that joined before; 0: none does
  GLINT_PARAM(int, follow_rounds, 0, 10) = 0;
  /// of the strongest evidence of a line near: less ends it
  GLINT_PARAM(double, min_end_share, 0, 1) = 0.45;
  /// px that are near; 0: lines do not end so
  GLINT_PARAM(int, end_reach_px, 0, 100) = 0;
  /// LinePath::score of a piece of a path, pixels that touch: what has less stays only where it
  /// goes on in line with others (follow_rounds); 0: all pieces stay
  GLINT_PARAM(double, min_piece_score, 0, 10000) = 0;
  /// of the strongest path near: what is certain besides, or lone, and has less is its halo
  GLINT_PARAM(double, min_halo_share, 0, 1) = 0.6;
  /// px that are near to it
  GLINT_PARAM(int, halo_px, 0, 100) = 50;
  /// px by which ridge pixels are widened to be joined
  GLINT_PARAM(int, link_px, 0, 50) = 1;
  /// and so many more where lines have lost faint pixels: they are still one line
  GLINT_PARAM(int, trimmed_link_px, 0, 50) = 3;
  /// px that a line is drawn wider than its ridge, to either side
  GLINT_PARAM(int, dilation_px, 0, 50) = 2;
  /// px: gaps between the ridges of lines up to twice that are filled
  GLINT_PARAM(int, closing_px, 0, 50) = 0;
};

/// Lines and where they lie.
struct Lines {
  Plane ids;   ///< kS32 on the host: 1.. on the ridge pixels of paths[id - 1], else 0
  Plane mask;  ///< kU8 on the host, 0 and 255: those pixels, drawn wider; see
               ///< line_width.h for lines that answer to the light
  std::vector<LinePath> paths;  ///< by the first pixel in reading order
  Plane extensions{};  ///< kU8 on the host: not 0 at ridge pixels that were added beyond the lines'
                       ///< ends (line_extension.h), where they are faint; empty: nowhere
};

/// Only the lines that are kept, numbered anew. Their mask stays as it is.
/// @param kept  per path
Lines KeepLines(Lines lines, const std::vector<bool>& kept);

/// The same, and what is drawn of the others goes, too, but around those that are kept.
/// @param drawn_px  around a ridge, that its line may be drawn
Lines DropLines(Lines lines, const std::vector<bool>& kept, int drawn_px);

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
