// SPDX-License-Identifier: Apache-2.0
// The assessment in sentences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "glint/assessment.h"
#include "glint/report.h"

namespace glint {

/// "Light wear: two creases that break the colour, three spine ticks."
/// @param assessment  everything but its sentences
std::string Verdict(const Assessment& assessment, const ScanReport& report);

/// The defects in words, without the severity: "two creases that break the colour and three spine
/// ticks"; empty where there are none.
std::string ListDefects(const Assessment& assessment);

/// "Light wear" where the worst defect is light, and so on.
std::string_view WearOf(Severity severity);

/// What is found along each axis, in the order of kAxes.
std::vector<AxisSummary> SummariseAxes(const Assessment& assessment);

/// What could not be judged, and what was assumed.
std::vector<std::string> NotesOn(const Assessment& assessment, const ScanReport& report);

}  // namespace glint
