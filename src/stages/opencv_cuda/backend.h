// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>

#include "glint/backend.h"

namespace glint::opencv_cuda {

/// Stages over the CUDA modules of OpenCV (4.10 and later, documented interface): luma statistics,
/// flow, edges and morphology; the others are the CPU's. For comparison: flow differs from the
/// CPU's by rounding and more, edges in the outermost pixels.
///
/// Planes stay on the host, and each stage moves what it needs, so that stages of both kinds fit
/// together. Every stage has OpenCV objects of its own, works on the default stream, and waits.
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(const BackendOptions& options);

/// Runs statistics, edges and morphology on a small drawn picture and compares them with the CPU's.
/// Errors: DEVICE_UNAVAILABLE
absl::Status ProbeBackend(const BackendOptions& options);

int CountGpus();

}  // namespace glint::opencv_cuda
