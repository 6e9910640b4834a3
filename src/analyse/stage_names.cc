// SPDX-License-Identifier: Apache-2.0
#include "analyse/stage_names.h"

#include <array>

namespace glint {
namespace {

constexpr std::array<StageName, 12> kStages = {{
    {"statistics", StageUse::kMeasuring},
    {"flow", StageUse::kMeasuring},
    {"warp", StageUse::kPlacing},
    {"morphology", StageUse::kPlacing},
    {"detail", StageUse::kPlacing},
    {"edges", StageUse::kClassic},
    {"fusion", StageUse::kClassic},
    {"artwork", StageUse::kPhotometric},
    {"residual", StageUse::kPhotometric},
    {"lines", StageUse::kPhotometric},
    {"ridges", StageUse::kPhotometric},
    {"components", StageUse::kPlacing},
}};

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
