// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <memory>

#include "stages/cuda/gpu_code.h"
#include "stages/cuda/runtime.h"

namespace glint::cuda {

/// Opens a GPU after checking everything that must hold for it to be used: a driver is there and
/// new enough, the GPU exists and is free, this program holds code for it, and a kernel gives the
/// answer that the host computes, bit by bit.
/// Errors: DEVICE_UNAVAILABLE or OUT_OF_MEMORY, with a message of its own for each of these
absl::StatusOr<std::shared_ptr<Gpu>> OpenChecked(CudaRuntime& runtime, const GpuCode& code,
                                                 int ordinal);

/// How many GPUs the driver sees; 0 when it cannot say, for which OpenChecked has the words.
int CountGpus(CudaRuntime& runtime);

/// Runs the self-test kernel. Errors: DEVICE_UNAVAILABLE a wrong answer; those of the GPU
absl::Status SelfTest(Gpu& gpu);

}  // namespace glint::cuda
