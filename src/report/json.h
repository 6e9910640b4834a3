// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "glint/assessment.h"
#include "glint/report.h"

namespace glint {

/// Version of the layout of report.json and timing.json. It rises when a field is removed or
/// changes its meaning; new fields leave it as it is.
inline constexpr int kSchemaVersion = 1;

/// report.json as docs/report.schema.json describes it. The same report gives the same bytes: keys
/// in fixed order, numbers rounded to the decimals that their field is good for, text that is not
/// valid UTF-8 replaced by U+FFFD. @param assessment  nothing: the report has none
std::string ToJson(const ScanReport& report,
                   const std::optional<Assessment>& assessment = std::nullopt);

/// timing.json as docs/timing.schema.json describes it.
std::string ToJson(const ScanTiming& timing);

}  // namespace glint
