// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include "analyse/detection.h"
#include "analyse/reference/compare.h"

namespace glint {

/// Adds to a detection what the comparison with a good copy found: the layer "reference" (where
/// colours changed), its pixels in mask and score, and its regions, numbered behind the others and
/// of the kinds kStain and kFading. Where a region of the detection covers a changed area, `labels`
/// keeps its id. With the damage of an earlier scan every region says whether it is new - less
/// than half of it was marked then - and the layer "new" has those that are.
/// @param views  whose median was compared
/// @param frame_from_object  of the reference frame, for the regions' boxes
/// Errors: those of FindRegions and FindRegionVisibility
absl::Status AddComparison(const Comparison& comparison, const ViewStack& views,
                           const Homography& frame_from_object, StageSet& stages, ThreadPool& pool,
                           Detection& detection, const AnalysisParams& params = {});

}  // namespace glint
