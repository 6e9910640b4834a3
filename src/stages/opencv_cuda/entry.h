// SPDX-License-Identifier: Apache-2.0
// The line of the backend table for OpenCV's own CUDA modules. It is there in every build: one
// without them says so.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>

#include "glint/backend.h"

namespace glint::opencv_cuda {

/// Errors: DEVICE_UNAVAILABLE OpenCV's CUDA modules are not part of this build, see no GPU, or give
/// a wrong answer
absl::Status Probe(const BackendOptions& options);

/// On the GPU `options.ordinal`. Errors: as Probe; those of MakeCpuBackend
absl::StatusOr<std::unique_ptr<Backend>> Make(const BackendOptions& options);

/// GPUs that OpenCV sees; 0 without its CUDA modules.
int Count();

}  // namespace glint::opencv_cuda
