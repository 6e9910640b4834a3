// SPDX-License-Identifier: Apache-2.0
// The line of the backend table for CUDA. It is there in every build: one without CUDA code says
// so.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>

#include "glint/backend.h"
#include "stages/cuda/gpu.h"

namespace glint::cuda {

/// The GPU of this number, checked. Errors: those of OpenChecked; DEVICE_UNAVAILABLE this build
/// holds no CUDA code
absl::StatusOr<std::shared_ptr<Gpu>> Open(int ordinal);

/// Whether the GPU `options.ordinal` opens. Errors: as Open
absl::Status Probe(const BackendOptions& options);

/// On the GPU `options.ordinal`. Errors: as Open
absl::StatusOr<std::unique_ptr<Backend>> Make(const BackendOptions& options);

/// GPUs that the driver sees; 0 without a driver, or without CUDA code in this build.
int Count();

}  // namespace glint::cuda
