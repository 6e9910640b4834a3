// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>

#include "glint/backend.h"

namespace glint {

/// Runs several stages on a small drawn picture and compares the answers with constants, so that a
/// library or an instruction set that computes nonsense is found before a scan is.
/// Errors: DEVICE_UNAVAILABLE a wrong answer (the message says which stage and both values);
/// those of MakeCpuBackend
absl::Status ProbeCpu(const BackendOptions& options);

/// The backend that runs everywhere: OpenCV where it is exact and fast, our own SIMD code
/// elsewhere. Errors: INVALID_OPTION no thread pool is given
absl::StatusOr<std::unique_ptr<Backend>> MakeCpuBackend(const BackendOptions& options);

}  // namespace glint
