// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>

#include "stages/cuda/context.h"

namespace glint::cuda {

/// Backend::CopySpeed of a context's GPU. Errors: those of the GPU
absl::StatusOr<double> MeasureCopySpeed(StreamContext& context, std::int64_t bytes);

}  // namespace glint::cuda
