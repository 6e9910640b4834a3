// SPDX-License-Identifier: Apache-2.0
#include "base/params.h"
#include "glint/photometric_stages.h"
#include "glint/stages.h"

namespace glint {

absl::Status ClassicFusionParams::Check() const { return CheckParams(*this); }
absl::Status ResidualParams::Check() const { return CheckParams(*this); }
absl::Status LineEvidenceParams::Check() const { return CheckParams(*this); }
absl::Status RidgeParams::Check() const { return CheckParams(*this); }

}  // namespace glint
