// SPDX-License-Identifier: Apache-2.0
// Lines that are print whose contrast the light changes, and lines too faint for any eye.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "analyse/photometric/lines/line_paths.h"
#include "analyse/photometric/scene/print_detail.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What decides that light on the print explains a line, or part of it. Distances are px across the
/// line.
struct VeiledPrintParams {
  /// of the squares that a line is cut into: the light is the same all over one
  GLINT_PARAM(int, block_px, 4, 1000) = 24;
  /// of a line in a block; with fewer it says nothing
  GLINT_PARAM(int, min_block_pixels, 1, 10000) = 6;
  /// of those pixels, that a view has to show
  GLINT_PARAM(double, min_shown_share, 0, 1) = 0.6;
  /// that show a block; with fewer it says nothing
  GLINT_PARAM(int, min_views, 5, 255) = 10;
  /// to either side: the line itself
  GLINT_PARAM(int, line_px, 0, 10) = 1;
  /// where what lies beside it begins
  GLINT_PARAM(int, beside_px, 1, 50) = 5;
  /// and ends
  GLINT_PARAM(int, beside_end_px, 1, 50) = 7;
  /// by which the albedo of a stroke of ink is darker than what lies beside it
  GLINT_PARAM(double, min_depth_grey, 0, 255) = 2;
  /// by what of it the print's other strokes fade with it
  GLINT_PARAM(PrintDetailParams, detail);
  /// of the change of the line's contrast from view to view, that the brightness beside it and the
  /// detail of the print around it explain
  GLINT_PARAM(double, min_explained_share, 0, 1) = 0.7;
  /// of contrast with darkness, with detail, or with both: a veil of light takes contrast away, and
  /// so does what takes detail away
  GLINT_PARAM(double, min_correlation, -1, 1) = 0.7;
  /// of the stroke's depth, that both leave unexplained
  GLINT_PARAM(double, max_rest_share, 0, 10) = 0.3;
  /// deviation of the line's contrast from view to view: less is no damage that anybody could see
  GLINT_PARAM(double, min_change_grey, 0, 255) = 0.3;
  /// of a line, in squares that touch and each are print: a path may go from a crease over a stroke
  /// that it meets to the next crease
  GLINT_PARAM(int, min_part_pixels, 1, 10000) = 60;
};

/// What the views are, for FindVeiledPrint; all on the host, of one size.
struct VeiledViews {
  std::span<const Plane> greys;  ///< kU8, one per view
  std::span<const Plane> valid;  ///< kU8, likewise: not 0 where the view shows the object
  const Plane& albedo;           ///< kS16, 1/64 grey
};

/// What of some lines is print.
struct VeiledPrint {
  std::vector<bool> lines;  ///< per path, whether all of it is, or is too faint for any eye
  Plane parts;              ///< kU8 on the host: not 0 on ridge pixels of long parts of the others;
                            ///< empty where there are none
};

/// Finds the lines that are a dark stroke of the print under changing light. Where a surface
/// reflects a lamp or a window, light is added to ink and paper alike, and what the camera makes of
/// it (gamma, compression) leaves less contrast: the stroke answers to the light without any
/// relief. But then its contrast is a function of the brightness beside it, a quadratic one within
/// the noise, and falls where that rises, whereas a crease depends on where the light comes from.
/// Where compression or smear takes detail away, it fades with the other strokes around it
/// (PrintDetail).
/// @param lines       ids and paths
/// @param directions  kU8 on the host: LineEvidence::direction
/// Errors: OUT_OF_MEMORY; INTERNAL
absl::StatusOr<VeiledPrint> FindVeiledPrint(const Lines& lines, const Plane& directions,
                                            const VeiledViews& views,
                                            const VeiledPrintParams& params, ThreadPool& pool);

}  // namespace glint::photometric
