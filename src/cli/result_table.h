// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/reporter.h"
#include "glint/scan.h"

namespace glint {

/// What a scan found, as a table for people: several lines, each with a line end.
/// @param report  where report.html lies
std::string ResultTable(const ScanResult& result, const std::string& report, bool colour);

/// What a scan of a batch found, as one line with a line end.
std::string ResultLine(const std::string& scan_id, const ScanResult& result,
                       const std::string& report);

/// The end of a batch, as one line with a line end.
std::string TotalsLine(const BatchTotals& totals);

/// "3.42 %", or "unknown" where it could not be seen.
std::string Percent(const std::optional<double>& percent);

}  // namespace glint
