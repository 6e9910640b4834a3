// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "glint/report.h"

namespace glint {

/// Figures for the page: a value of every frame over time, with the golden frames marked. Videos
/// with more frames than a screen has columns are drawn as the smallest and largest value per
/// column, so that no blur and no jerk gets lost. Empty for a report without frames.
std::string SharpnessChart(const ScanReport& report);

/// As SharpnessChart, with the motion limit marked. Frames whose motion was not measured (the first
/// always) leave a gap; motion far above the limit is cut off at the top and said to be so.
std::string MotionChart(const ScanReport& report);

}  // namespace glint
