// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "glint/report.h"

namespace glint {

/// Ends the report as one that judges nothing (ScanOutcome::kNotJudged): no regions, no
/// percentages, and as its only advice what counts most of what the clip lacks. Any step after the
/// choice of frames may find that out; RunScan then goes on with rendering.
void LeaveUnjudged(const NotJudged& why, ScanReport& report);

}  // namespace glint
