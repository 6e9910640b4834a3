// SPDX-License-Identifier: Apache-2.0
// Lines that do not answer to the light but are seen in every view: cracks in an unprinted surface.
#pragma once

#include <absl/status/statusor.h>

#include "analyse/photometric/line_paths.h"
#include "base/thread_pool.h"
#include "glint/photometric_stages.h"

namespace glint::photometric {

/// What stands out of the median view as long dark lines.
struct StaticLines {
  LineEvidence evidence;    ///< on the host; `point` repeats the energy
  std::int32_t median = 1;  ///< the energy's own noise: its deviation where there is no line
};

/// Looks for dark lines: the median view in units of its local contrast, smoothed, averaged along
/// lines of LineEvidenceStage::kDirections directions (sigma 8 px).
/// @param grey   kS16 on the host: Albedo::grey
/// @param count  kU8 on the host: Albedo::count; pixels without a view do not count
/// Errors: OUT_OF_MEMORY; INTERNAL when OpenCV fails
absl::StatusOr<StaticLines> FindStaticLines(const Plane& grey, const Plane& count,
                                            ThreadPool& pool);

/// Energies in deviations. @param median  StaticLines::median
/// @return kS32 on the host, 1/kEnergyUnit
Plane InDeviations(const Plane& energy, std::int32_t median);

/// Evidence above which a static line may run, in deviations.
inline constexpr double kWeakStatic = 2.4;

/// Which paths are static lines: cracks are long, and broken by grain.
inline constexpr PathRule kStaticRule = {.peak = 4.0,
                                         .length = 40,
                                         .score = 12.0,
                                         .rim_score = 12.0,
                                         .touch_score = 12.0,
                                         .link = 3,
                                         .drawn_wider = 3,
                                         .closed = 3};

}  // namespace glint::photometric
