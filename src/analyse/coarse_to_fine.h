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
  GLINT_PARAM(FeatureParams, features);
  /// of those features
  GLINT_PARAM(MatchParams, matches);
  /// of the picture with the object
  GLINT_PARAM(AlignmentParams, alignment);
  /// of the object on the coarsest level
  GLINT_PARAM(int, min_side_px, 16, 10000) = 48;
  /// mean movement of the corners, object pixels, below which the fit has settled
  GLINT_PARAM(double, settled_px, 0, 10) = 0.05;
  /// share of patches that look like the object's: a picture with fewer shows something else
  GLINT_PARAM(double, min_recognised, 0, 1) = 0.5;
  /// object pixels left, over which the fit is not believed
  GLINT_PARAM(double, max_residual_px, 0, 100) = 0.75;
};

}  // namespace glint
