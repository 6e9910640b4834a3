// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyse/alignment.h"
#include "analyse/homography_fit.h"
#include "base/params.h"

namespace glint {

/// How a picture is laid onto the object: where features say, or the picture before lay, and then
/// by patches on finer and finer levels.
struct CoarseToFineParams {
  /// of both pictures
  FeatureParams features;
  /// of those features
  MatchParams matches;
  /// of the picture with the object
  AlignmentParams alignment;
  /// of the object on the coarsest level
  int min_side_px = 48;
  /// mean movement of the corners, object pixels, below which the fit has settled
  double settled_px = 0.05;
  /// share of patches that look like the object's: a picture with fewer shows something else
  double min_recognised = 0.5;
  /// object pixels left, over which the fit is not believed
  double max_residual_px = 0.75;

  GLINT_PARAMS(self, visit) {
    visit("features", self.features);
    visit("matches", self.matches);
    visit("alignment", self.alignment);
    visit("min_side_px", self.min_side_px, 16, 10000);
    visit("settled_px", self.settled_px, 0, 10);
    visit("min_recognised", self.min_recognised, 0, 1);
    visit("max_residual_px", self.max_residual_px, 0, 100);
  }
};

}  // namespace glint
