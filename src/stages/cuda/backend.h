// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <memory>

#include "glint/backend.h"
#include "stages/cuda/gpu.h"

namespace glint::cuda {

/// Opens a GPU, at start-up and once more when it has been lost.
using OpenGpu = std::function<absl::StatusOr<std::shared_ptr<Gpu>>()>;

/// Share of the GPU's free memory that a backend uses at most; the rest is for the driver and for
/// others.
inline constexpr double kMemoryShare = 0.85;

/// The stages on one GPU.
///
/// When the GPU is lost (Gpu::IsLost), all stages and planes on it fail from then on. Once they
/// are gone, the next Make function opens it anew; when it is lost again, the Make functions fail
/// for good with DEVICE_UNAVAILABLE.
/// @param tuning  of this machine; may be null
/// Errors: those of `open` and of Gpu::FreeMemory
absl::StatusOr<std::unique_ptr<Backend>> MakeBackend(OpenGpu open,
                                                     std::shared_ptr<const Tuning> tuning = {});

}  // namespace glint::cuda
