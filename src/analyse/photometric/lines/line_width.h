// SPDX-License-Identifier: Apache-2.0
// How wide a line is: from the profile across it of what the views show.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"
#include "glint/stored_plane.h"

namespace glint::photometric {

/// What decides how far a line reaches to either side of its ridge. Object pixels.
struct LineWidthParams {
  /// those that show the line best at a pixel: they make its profile
  GLINT_PARAM(int, max_views, 1, 255) = 16;
  /// of the profile's largest value near the ridge: the line reaches to where less is left
  GLINT_PARAM(double, edge_share, 0, 1) = 0.5;
  /// what a line without any width reaches: half the width at half height of the views' own
  /// blur and of their smoothing (sigma 1.1 together)
  GLINT_PARAM(double, blur_px, 0, 10) = 1.3;
  /// to either side
  GLINT_PARAM(double, min_reach_px, 0, 50) = 1;
  /// to either side
  GLINT_PARAM(int, max_reach_px, 2, 100) = 10;
  /// to either side, within which the profile has its largest value
  GLINT_PARAM(int, ridge_px, 0, 2) = 2;
  /// along the line, to either side, that profiles are summed over
  GLINT_PARAM(int, along_px, 0, 100) = 12;
  /// the same, for how strong the line is at a pixel
  GLINT_PARAM(int, strength_along_px, 0, 100) = 3;
  /// of 16: ridge pixels that differ by more are of another stretch
  GLINT_PARAM(int, same_direction_steps, 0, 8) = 2;
  /// of the line's ridge pixels around, that are of its stretch: those of a spur are fewer
  GLINT_PARAM(double, min_same_direction_share, 0, 1) = 0.4;
  /// across, from a line's ridge to a side lobe, which the subtraction of light leaves: nearer lies
  /// the other flank of a wide crease
  GLINT_PARAM(int, min_side_lobe_px, 0, 100) = 7;
  /// no farther off than that
  GLINT_PARAM(int, max_side_lobe_px, 0, 100) = 12;
  /// of the ridge's strength: a fainter one beside it is a side lobe, and not drawn
  GLINT_PARAM(double, min_side_lobe_share, 0, 1) = 0.5;
  /// of the line's median strength: it ends where less is left
  GLINT_PARAM(double, faint_share, 0, 1) = 0.25;
  /// gaps in it up to twice that are filled
  GLINT_PARAM(int, closing_px, 0, 50) = 2;
  /// of a line that is left out for being hardly longer than wide: a longer one never is
  GLINT_PARAM(int, max_stub_px, 0, 1000) = 18;
  /// times as long as wide: a short line is at least that
  GLINT_PARAM(double, min_stub_aspect, 0, 100) = 2;
  /// of one: as thin as lines get, it may be a piece of one that is hardly seen
  GLINT_PARAM(double, min_stub_width_px, 0, 100) = 4.5;
};

/// Lines as wide as they are.
struct DrawnLines {
  Plane mask;                  ///< kU8 on the host, 0 and 255
  std::vector<double> widths;  ///< per line, px: the mean over its ridge
};

/// Draws lines as far to either side of their ridges as their profiles reach, 3 px wide at least. A
/// profile is the sum of the residuals at a distance from the ridge over the views that show it
/// best, each times what the ridge shows in that view, with its sign: what answers to the light as
/// the line does adds up, noise does not. Where hardly anything is left of a line it ends: ridges
/// go on beyond the ends of lines, as far as the filters reach. What is wide, short and hardly
/// longer than wide is no line.
/// @param ids        kS32 on the host: 1.. on the ridge of a line, else 0
/// @param lines      how many there are
/// @param direction  kU8 on the host: LineEvidence::direction
/// @param residuals  kS16 on the host, one per view
/// Errors: OUT_OF_MEMORY; INTERNAL when OpenCV fails
absl::StatusOr<DrawnLines> DrawLines(const Plane& ids, std::size_t lines, const Plane& direction,
                                     std::span<const StoredPlane> residuals,
                                     const LineWidthParams& params, ThreadPool& pool);

}  // namespace glint::photometric
