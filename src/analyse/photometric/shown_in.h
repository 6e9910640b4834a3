// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyse/photometric/detect.h"

namespace glint::photometric {

/// Counts for each line the views that show it, and finds the one that does so best: by the mean of
/// its residuals along the ridge, with their sign, in units of the expected noise.
/// @param lines      as found; their views are filled in
/// @param ids        kS32 on the host: PhotometricResult::line_ids
/// @param residuals  kS16 on the host, one per view
void CountViews(std::span<const Plane> residuals, std::span<const Plane> valid,
                const Artwork& artwork, const NoiseModel& noise, const Plane& ids, ThreadPool& pool,
                std::vector<PhotometricLine>& lines);

}  // namespace glint::photometric
