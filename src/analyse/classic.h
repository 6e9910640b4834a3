// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "analyse/stage_set.h"
#include "base/params.h"
#include "glint/plane.h"

namespace glint {

/// What `classic` takes for an edge, and from which score on it marks.
struct ClassicParams {
  /// Canny's thresholds: faint edges
  GLINT_PARAM(double, faint_edges_low, 0, 2040) = 15;
  /// see faint_edges_low
  GLINT_PARAM(double, faint_edges_high, 0, 2040) = 60;
  /// middle ones
  GLINT_PARAM(double, edges_low, 0, 2040) = 30;
  /// see edges_low
  GLINT_PARAM(double, edges_high, 0, 2040) = 100;
  /// stable ones
  GLINT_PARAM(double, strong_edges_low, 0, 2040) = 50;
  /// see strong_edges_low
  GLINT_PARAM(double, strong_edges_high, 0, 2040) = 150;
  /// how the maps of edges and detail make up a score
  GLINT_PARAM(ClassicFusionParams, fusion);
  /// marked is what is this far above the mean score
  GLINT_PARAM(double, threshold_deviations, -100, 100) = 0.3;
  /// side of the rectangle that the mask is closed with
  GLINT_PARAM(int, closing_px, 1, 100) = 2;
};

/// What `classic` finds, in the size of the pictures; masks on the host.
struct ClassicResult {
  Plane score;  ///< kS32 on the backend's device, units of 2^-ClassicFusionStage::kScoreBits
  Plane mask;   ///< kU8, 0 and 255
  /// kU8, 0 and 255: the mask that each picture alone would give, in the pictures' order; says in
  /// which pictures a region stands out.
  std::vector<Plane> picture_masks;
};

/// The `classic` detector (docs/algorithm.md): Canny at three thresholds, Laplacian, gradient and
/// local deviation of every picture, fused over the pictures; marked above mean and standard
/// deviation of the scores, closed with a rectangle.
/// @param greys  kU8, 1 to 255 rectified pictures of one size, on the backend's device
/// Errors: those of the stages, e.g. INTERNAL no picture or sizes that differ
absl::StatusOr<ClassicResult> DetectClassic(std::span<const Plane> greys, StageSet& stages,
                                            const ClassicParams& params = {});

}  // namespace glint
