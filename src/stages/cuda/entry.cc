// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/entry.h"

#include "base/status_macros.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/gpu_code.h"
#include "stages/cuda/probe.h"

namespace glint::cuda {

absl::StatusOr<std::shared_ptr<Gpu>> Open([[maybe_unused]] int ordinal) {
#if GLINT_WITH_CUDA
  GLINT_ASSIGN_OR_RETURN(const GpuCode code, HeldGpuCode());
  return OpenChecked(MachineRuntime(), code, ordinal);
#else
  return HeldGpuCode().status();
#endif
}

absl::Status Probe(const BackendOptions& options) { return Open(options.ordinal).status(); }

absl::StatusOr<std::unique_ptr<Backend>> Make(const BackendOptions& options) {
  return MakeBackend([ordinal = options.ordinal] { return Open(ordinal); }, options.tuning);
}

int Count() {
#if GLINT_WITH_CUDA
  return CountGpus(MachineRuntime());
#else
  return 0;
#endif
}

}  // namespace glint::cuda
