// SPDX-License-Identifier: Apache-2.0
#include "stages/opencv_cuda/entry.h"

#include "glint/error.h"
#if GLINT_WITH_OPENCV_CUDA
#include "stages/opencv_cuda/backend.h"
#endif

namespace glint::opencv_cuda {

#if GLINT_WITH_OPENCV_CUDA

absl::Status Probe(const BackendOptions& options) { return ProbeBackend(options); }

absl::StatusOr<std::unique_ptr<Backend>> Make(const BackendOptions& options) {
  return MakeBackend(options);
}

int Count() { return CountGpus(); }

#else

namespace {

absl::Status NotBuilt() {
  return Error(Reason::kDeviceUnavailable, "OpenCV's CUDA modules are not part of this build");
}

}  // namespace

absl::Status Probe(const BackendOptions& /*options*/) { return NotBuilt(); }

absl::StatusOr<std::unique_ptr<Backend>> Make(const BackendOptions& /*options*/) {
  return NotBuilt();
}

int Count() { return 0; }

#endif

}  // namespace glint::opencv_cuda
