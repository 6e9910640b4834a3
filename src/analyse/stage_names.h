// SPDX-License-Identifier: Apache-2.0
// What stages are called wherever they are named, and which scans use which of them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "glint/profile.h"
#include "glint/report.h"

namespace glint {

/// What a scan needs a stage for.
enum class StageUse {
  kMeasuring,    ///< every scan
  kPlacing,      ///< every scan that found frames to work with
  kClassic,      ///< the detector of that name alone
  kPhotometric,  ///< likewise
};

/// A stage of StageSet. (MeasureStage is "statistics" and "flow" of many frames at once.)
struct StageName {
  std::string_view name;
  StageUse use = StageUse::kMeasuring;
};

/// Every stage, in the order in which a scan comes to them.
std::span<const StageName> StageNames();

/// The stages that a scan ran. @param profile  kProfileClassic or kProfilePhotometric
std::vector<std::string_view> StagesRun(std::string_view profile, ScanOutcome outcome);

}  // namespace glint
