// SPDX-License-Identifier: Apache-2.0
// The assessment in sentences.
#pragma once

#include <string>
#include <vector>

#include "glint/assessment.h"
#include "glint/report.h"

namespace glint {

/// "Light wear: two creases that break the colour, three spine ticks."
/// @param assessment  everything but its sentences
std::string Verdict(const Assessment& assessment, const ScanReport& report);

/// What is found along each axis, in the order of kAxes.
std::vector<AxisSummary> SummariseAxes(const Assessment& assessment);

/// What could not be judged, and what was assumed.
std::vector<std::string> NotesOn(const Assessment& assessment, const ScanReport& report);

}  // namespace glint
