// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>

#include "glint/assessment.h"
#include "glint/report.h"

namespace glint {

class ThreadPool;

/// report.html: the whole report as one page that needs no other file and no network, for people on
/// a desk or a phone. Every text of the report is escaped. The same scan gives the same bytes,
/// whatever the number of threads.
/// @param pictures    as for RenderArtifacts; shown at 1600 px at most, the golden frames smaller
/// @param assessment  nothing: only what the scan measured is shown
/// Errors: as RenderArtifacts
absl::StatusOr<std::string> RenderHtml(const ScanReport& report, const ScanPictures& pictures,
                                       ThreadPool& pool,
                                       const std::optional<Assessment>& assessment = std::nullopt);

}  // namespace glint
