// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include "analyse/analysis_params.h"
#include "glint/scan.h"

namespace glint {

/// RunScan (glint/scan.h) with other parameters than the default ones: for glint's developers. What
/// is stored does not say that they were others.
/// Errors: as RunScan; INVALID_OPTION a parameter is out of its range
absl::StatusOr<ScanResult> RunScan(const ScanRequest& request, const AnalysisParams& params,
                                   const ScanDeps& deps, const CancelToken& cancel);

}  // namespace glint
