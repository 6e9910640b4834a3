// SPDX-License-Identifier: Apache-2.0
// A stored result, read back.
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <optional>

#include "glint/assessment.h"
#include "glint/plane.h"
#include "glint/report.h"

namespace glint {

/// What report.json says of the object and what is marked on it; of the assessment the defects
/// alone. What is not listed here is not read:
/// scan_id, item_type, profile, outcome; object; video's size; of golden frames the frame and how
/// it lies on the object; of regions what names and scores them.
struct StoredReport {
  ScanReport report;
  std::optional<Assessment> assessment;
};

/// Reads `report.json` of a result; keys that earlier versions did not write may be absent.
/// @param folder  of the result
/// Errors: INPUT_NOT_FOUND; INPUT_UNREADABLE no report of a scan, or one that contradicts itself
absl::StatusOr<StoredReport> ReadReport(const std::filesystem::path& folder);

/// Reads `labels.png` of a result that judged something: kS32, ids of regions.
/// Errors: as ReadReport, also where the picture does not fit the report
absl::StatusOr<Plane> ReadLabelsPicture(const std::filesystem::path& folder,
                                        const ScanReport& report);

}  // namespace glint
