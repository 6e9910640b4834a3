// SPDX-License-Identifier: Apache-2.0
// The one place that knows which backends this build has.
#include <array>

#include "glint/backend.h"
#include "stages/cpu/backend.h"
#include "stages/cuda/entry.h"
#include "stages/opencv_cuda/entry.h"

namespace glint {

std::span<const BackendEntry> BackendTable() {
  static constexpr std::array kTable = {
      BackendEntry{"cuda", &cuda::Probe, &cuda::Make, &cuda::Count},
      BackendEntry{.name = "opencv_cuda",
                   .probe = &opencv_cuda::Probe,
                   .make = &opencv_cuda::Make,
                   .count = &opencv_cuda::Count,
                   .exact = false},
      BackendEntry{"cpu", &ProbeCpu, &MakeCpuBackend},
  };
  return kTable;
}

}  // namespace glint
