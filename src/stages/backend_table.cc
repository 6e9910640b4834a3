// SPDX-License-Identifier: Apache-2.0
// The one place that knows which backends this build has.
#include <array>

#include "glint/backend.h"
#include "stages/cpu/backend.h"
#include "stages/cuda/entry.h"

namespace glint {

std::span<const BackendEntry> BackendTable() {
  static constexpr std::array kTable = {
      BackendEntry{"cuda", &cuda::Probe, &cuda::Make, &cuda::Count},
      BackendEntry{"cpu", &ProbeCpu, &MakeCpuBackend},
  };
  return kTable;
}

}  // namespace glint
