// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "glint/backend.h"

namespace glint {

/// The stages that one scan uses, with their scratch memory; used by one thread at a time.
struct StageSet {
  std::shared_ptr<Backend> backend;
  std::unique_ptr<MeasureStage> measure;
#define GLINT_STAGE_MEMBER(Type, Name, member, ...) std::unique_ptr<Type> member;
  GLINT_SCAN_STAGES(GLINT_STAGE_MEMBER)
#undef GLINT_STAGE_MEMBER

  /// All stages of one backend. Errors: those of the backend's Make functions.
  static absl::StatusOr<StageSet> Make(std::shared_ptr<Backend> backend);

  /// Makes all stages anew, so that the scratch memory of what they did is free. Errors: as Make's
  absl::Status Renew();
};

}  // namespace glint
