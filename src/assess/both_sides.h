// SPDX-License-Identifier: Apache-2.0
// Front and back of one item as one verdict.
#pragma once

#include <optional>

#include "glint/assessment.h"
#include "glint/report.h"

namespace glint {

/// What was found on one side.
struct SideFindings {
  const ScanReport& report;
  const std::optional<Assessment>& assessment;  ///< nothing: the side was not judged
};

/// Sums up both sides. What could not be judged is said, and counts in nothing.
BothSides Together(const SideFindings& front, const SideFindings& back);

}  // namespace glint
