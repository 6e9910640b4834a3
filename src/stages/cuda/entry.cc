// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/entry.h"

#include "glint/error.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/probe.h"

namespace glint::cuda {
namespace {

absl::StatusOr<std::shared_ptr<Gpu>> OpenFirst() {
#if GLINT_WITH_CUDA
  return OpenChecked(MachineRuntime(), 0);
#else
  return Error(Reason::kDeviceUnavailable,
               "this build of glint holds no CUDA code: no nvcc was there when it was made");
#endif
}

}  // namespace

absl::Status Probe(const BackendOptions& /*options*/) { return OpenFirst().status(); }

absl::StatusOr<std::unique_ptr<Backend>> Make(const BackendOptions& /*options*/) {
  return MakeBackend(&OpenFirst);
}

}  // namespace glint::cuda
