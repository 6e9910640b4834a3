// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/timing/scene.h"
#include "glint/backend.h"

namespace glint {

/// One stage with everything that it works on, on its device.
struct StageWork {
  std::string stage;
  int frames = 1;  ///< that one run works on
  /// Bytes of device memory that one run reads and writes at least; 0: not counted. On a GPU what
  /// each of the stage's passes takes and gives (docs/cuda.md); on the CPU, whose passes stay in
  /// its caches, what goes into the stage and comes out.
  double bytes = 0;
  std::function<absl::Status()> run;
};

/// What the flow's kernels read and write per pair of frames (docs/cuda.md). @param size  >= 16x16
double FlowBytesOnGpu(Size size);

/// The stages of a scan on a backend. @param scene  at least two frames, sides >= 16
/// Errors: those of the backend and its stages
absl::StatusOr<std::vector<StageWork>> StageWorks(Backend& backend, const BenchScene& scene);

}  // namespace glint
