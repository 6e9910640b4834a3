// SPDX-License-Identifier: Apache-2.0
// How wide a line is: from the profile across it of what the views show.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What decides how far a line reaches to either side of its ridge. Object pixels.
struct LineWidthParams {
  int max_views = 16;       ///< those that show the line best at a pixel: they make its profile
  double edge_share = 0.5;  ///< of the profile's largest value near the ridge: the line reaches to
                            ///< where less is left
  double blur_px = 1.3;     ///< what a line without any width reaches: half the width at half
                            ///< height of the views' own blur and of their smoothing (sigma 1.1
                            ///< together)
  double min_reach_px = 1;  ///< to either side
  int max_reach_px = 10;    ///< to either side
  int ridge_px = 2;         ///< to either side, within which the profile has its largest value
  int along_px = 12;        ///< along the line, to either side, that profiles are summed over
  int strength_along_px = 3;     ///< the same, for how strong the line is at a pixel
  int same_direction_steps = 2;  ///< of 16: ridge pixels that differ by more are of another stretch
  double faint_share = 0.25;     ///< of the line's median strength: it ends where less is left
  int closing_px = 2;            ///< gaps in it up to twice that are filled

  GLINT_PARAMS(self, visit) {
    visit("max_views", self.max_views, 1, 255);
    visit("edge_share", self.edge_share, 0, 1);
    visit("blur_px", self.blur_px, 0, 10);
    visit("min_reach_px", self.min_reach_px, 0, 50);
    visit("max_reach_px", self.max_reach_px, 2, 100);
    visit("ridge_px", self.ridge_px, 0, 2);
    visit("along_px", self.along_px, 0, 100);
    visit("strength_along_px", self.strength_along_px, 0, 100);
    visit("same_direction_steps", self.same_direction_steps, 0, 8);
    visit("faint_share", self.faint_share, 0, 1);
    visit("closing_px", self.closing_px, 0, 50);
  }
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
/// go on beyond the ends of lines, as far as the filters reach.
/// @param ids        kS32 on the host: 1.. on the ridge of a line, else 0
/// @param lines      how many there are
/// @param direction  kU8 on the host: LineEvidence::direction
/// @param residuals  kS16 on the host, one per view
/// Errors: OUT_OF_MEMORY; INTERNAL when OpenCV fails
absl::StatusOr<DrawnLines> DrawLines(const Plane& ids, std::size_t lines, const Plane& direction,
                                     std::span<const Plane> residuals,
                                     const LineWidthParams& params, ThreadPool& pool);

}  // namespace glint::photometric
