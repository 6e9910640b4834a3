// SPDX-License-Identifier: Apache-2.0
#include "analyse/stage_set.h"

#include "base/status_macros.h"

namespace glint {

absl::StatusOr<StageSet> StageSet::Make(std::shared_ptr<Backend> backend) {
  StageSet set;
  GLINT_ASSIGN_OR_RETURN(set.measure, backend->MakeMeasure());
#define GLINT_STAGE_MADE(Type, Name, member, ...) \
  GLINT_ASSIGN_OR_RETURN(set.member, backend->Make##Name());
  GLINT_SCAN_STAGES(GLINT_STAGE_MADE)
#undef GLINT_STAGE_MADE
  set.backend = std::move(backend);
  return set;
}

absl::Status StageSet::Renew() {
  GLINT_ASSIGN_OR_RETURN(*this, Make(backend));
  return absl::OkStatus();
}

}  // namespace glint
