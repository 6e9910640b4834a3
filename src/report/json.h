// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "glint/assessment.h"
#include "glint/report.h"

namespace glint {

/// Version of the layout of report.json and timing.json. It rises when a field is removed or
/// changes its meaning; new fields leave it as it is.
inline constexpr int kSchemaVersion = 1;

/// The back of an item, as the front's report tells of it.
struct BackSummary {
  const ScanReport& report;
  const std::optional<Assessment>& assessment;
  const BothSides& both;
};

/// Where the files of an item's back lie, relative to the front's: its own report.json and
/// pictures.
inline constexpr std::string_view kBackFolder = "back/";

/// report.json as docs/report.schema.json describes it. The same report gives the same bytes: keys
/// in fixed order, numbers rounded to the decimals that their field is good for, text that is not
/// valid UTF-8 replaced by U+FFFD. @param assessment  nothing: the report has none
/// @param back  nothing: one side was filmed, or this is the back's own report
std::string ToJson(const ScanReport& report,
                   const std::optional<Assessment>& assessment = std::nullopt,
                   const std::optional<BackSummary>& back = std::nullopt);

/// timing.json as docs/timing.schema.json describes it.
std::string ToJson(const ScanTiming& timing);

}  // namespace glint
