// SPDX-License-Identifier: Apache-2.0
// What the single views say of regions that were found in all of them together.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyse/photometric/detect.h"
#include "analyse/regions.h"
#include "analyse/stage_set.h"
#include "base/thread_pool.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// How the views show one region.
struct RegionVisibility {
  int seen = 0;   ///< views in which at least half of it and of its surroundings is valid
  int shown = 0;  ///< of those, the ones in which it stands out as it does in most of them
  int best = 0;   ///< of those, the one in which it stands out most; 0 when there is none

  /// Share of the views that could show it which do; 0 when none could.
  double Share() const { return seen == 0 ? 0 : static_cast<double>(shown) / seen; }
};

/// Looks at the regions view by view. A region stands out by the ratio of its mean brightness to
/// that of what lies close around it and in no region; light and exposure change both alike.
/// A view shows the region when that ratio differs from 1 as the median over the views does, within
/// half of that or a tolerance, whichever is more.
/// @param labels  kS32 on the host, object coordinates: the regions' ids
/// @return one for each of `regions`
/// Errors: those of Backend::Download
absl::StatusOr<std::vector<RegionVisibility>> FindRegionVisibility(
    const ViewStack& views, const Plane& labels, std::span<const DefectRegion> regions,
    StageSet& stages, ThreadPool& pool, const VisibilityParams& params = {});

/// Fills in of a region what its visibility says: the views that show it, the best frame, and their
/// share as confidence.
void Describe(const RegionVisibility& visibility, const ViewStack& views, DefectRegion& region);

/// The frame that a view was made of; nothing where the stack does not say.
std::optional<std::int64_t> FrameOf(const ViewStack& views, int view);

/// How sure a region is whose evidence is `evidence` where `needed` was asked for: 1/2 where it
/// just passes, towards 1 with more, 0 with half or less. @param needed  > 0
double Margin(double evidence, double needed);

}  // namespace glint
