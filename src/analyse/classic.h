// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "analyse/stage_set.h"
#include "glint/plane.h"

namespace glint {

/// What `classic` finds, in the size of the pictures; masks on the host.
struct ClassicResult {
  Plane score;  ///< kS32 on the backend's device, units of 2^-ClassicFusionStage::kScoreBits
  Plane mask;   ///< kU8, 0 and 255
  /// kU8, 0 and 255: the mask that each picture alone would give, in the pictures' order; says in
  /// which pictures a region stands out.
  std::vector<Plane> picture_masks;
};

/// The `classic` detector (docs/algorithm.md): Canny at three thresholds, Laplacian, gradient and
/// local deviation of every picture, fused over the pictures; marked above mean + 0.3 standard
/// deviations, closed with a 2x2 rectangle.
/// @param greys  kU8, 1 to 255 rectified pictures of one size, on the backend's device
/// Errors: those of the stages, e.g. INVALID_OPTION no picture or sizes that differ
absl::StatusOr<ClassicResult> DetectClassic(std::span<const Plane> greys, StageSet& stages);

}  // namespace glint
