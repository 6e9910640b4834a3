// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "analyse/photometric/detect.h"
#include "analyse/stage_set.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// Close-ups that a result has at most.
inline constexpr std::size_t kCloseUps = 12;

/// The square of the object that shows a region: with half as much around it as it is large, but at
/// least an eighth of the object's longer side and at most two sevenths. Of a region that is larger
/// than that, the part that holds most of it, the upper left one of equals. It may reach beyond
/// the object by a sixth of itself.
/// @param labels  kS32 on the host, object coordinates: the regions' ids
Rectangle CloseUpBox(const DefectRegion& region, const Plane& labels);

/// Cuts the first kCloseUps regions that have a best frame out of it: resampled to object
/// coordinates, so that all lie as in the result's other pictures, at the frame's own resolution,
/// 640 px at most.
/// @param sources  where best frames are looked for
/// Errors: those of the stages; OUT_OF_MEMORY
absl::StatusOr<std::vector<CloseUp>> CutCloseUps(std::span<const DefectRegion> regions,
                                                 const Plane& labels,
                                                 std::span<const ViewSource> sources,
                                                 StageSet& stages);

}  // namespace glint
