// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyse/photometric/detect.h"

namespace glint::photometric {

/// How one view shows one line.
struct LineVisibility {
  double sum = 0;           ///< of its residuals along the ridge, with their sign, in units of the
                            ///< expected noise
  std::int64_t pixels = 0;  ///< valid ones on the ridge

  double Mean() const { return pixels == 0 ? 0 : sum / static_cast<double>(pixels); }
};

/// How every view shows every line.
/// @param residuals  kS16 on the host, one per view
/// @param ids        kS32 on the host: PhotometricResult::line_ids; @param lines  how many there
/// are
/// @return per view, per line
std::vector<std::vector<LineVisibility>> MeasureLineVisibility(
    std::span<const Plane> residuals, std::span<const Plane> valid, const Albedo& artwork,
    const NoiseModel& noise, const Plane& ids, std::size_t lines, ThreadPool& pool);

/// Counts for each line the views that show it, and finds the one that does so best.
/// @param lines  as found; their views are filled in
void CountVisibleViews(std::span<const std::vector<LineVisibility>> views,
                       std::vector<PhotometricLine>& lines);

}  // namespace glint::photometric
