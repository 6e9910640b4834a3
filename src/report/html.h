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

/// One side of an item, as RenderHtml takes the only one.
struct SideOnPage {
  const ScanReport& report;
  const ScanPictures& pictures;
  const std::optional<Assessment>& assessment;
};

/// The page of an item that was filmed from both sides: one verdict over both, then each side. Its
/// pictures are smaller, so that it is no heavier than that of one side. Errors: as above
absl::StatusOr<std::string> RenderHtml(const SideOnPage& front, const SideOnPage& back,
                                       const BothSides& both, ThreadPool& pool);

}  // namespace glint
