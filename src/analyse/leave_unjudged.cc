// SPDX-License-Identifier: Apache-2.0
#include "analyse/leave_unjudged.h"

#include "analyse/advice.h"
#include "analyse/stage_names.h"

namespace glint {

void LeaveUnjudged(const NotJudged& why, ScanReport& report) {
  report.outcome = ScanOutcome::kNotJudged;
  report.not_judged = why;
  report.regions.clear();
  report.regions_found = 0;
  report.named_regions.clear();
  report.damaged_percent.reset();
  report.unknown_percent.reset();
  report.glare_percent.reset();
  report.reference.reset();
  report.advice = {NotJudgedAdvice(why)};
  report.stages.clear();
  for (const std::string_view stage : StagesRun(report.profile, report.outcome)) {
    report.stages.push_back({.stage = std::string(stage), .device = report.device});
  }
}

}  // namespace glint
