// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "glint/report.h"

namespace glint {

/// How the frames of a video fared when steady ones were looked for.
struct Selection {
  std::int64_t eligible = 0;    ///< steady enough
  std::int64_t moving = 0;      ///< moved by more than the limit
  std::int64_t unmeasured = 0;  ///< without a motion: the first frame, and those never asked for
  std::vector<FrameMeasure> near_misses;  ///< of the moving: the five calmest, the calmest first
};

/// Sums up the report's frames.
Selection Summarise(const ScanReport& report);

}  // namespace glint
