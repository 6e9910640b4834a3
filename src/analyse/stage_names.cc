// SPDX-License-Identifier: Apache-2.0
#include "analyse/stage_names.h"

#include "glint/stage_list.h"

namespace glint {
namespace {

// Statistics come first: they are a stage of reports that scans use through MeasureStage.
constexpr StageName kStages[] = {{"statistics", StageUse::kMeasuring},
#define GLINT_STAGE_NAME(Type, Name, member, name, use) {name, StageUse::use},
                                 GLINT_SCAN_STAGES(GLINT_STAGE_NAME)
#undef GLINT_STAGE_NAME
};

bool Runs(StageUse use, std::string_view profile, ScanOutcome outcome) {
  const bool scanned = outcome == ScanOutcome::kScanned;
  switch (use) {
    case StageUse::kMeasuring:
      return true;
    case StageUse::kPlacing:
      return scanned;
    case StageUse::kClassic:
      return scanned && profile == kProfileClassic;
    case StageUse::kPhotometric:
      return scanned && profile == kProfilePhotometric;
  }
  return false;
}

}  // namespace

std::span<const StageName> StageNames() { return kStages; }

std::vector<std::string_view> StagesRun(std::string_view profile, ScanOutcome outcome) {
  std::vector<std::string_view> names;
  for (const StageName& stage : kStages) {
    if (Runs(stage.use, profile, outcome)) names.push_back(stage.name);
  }
  return names;
}

}  // namespace glint
