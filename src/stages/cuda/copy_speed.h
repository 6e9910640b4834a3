// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>

#include "stages/cuda/session.h"

namespace glint::cuda {

/// Backend::CopySpeed of a workplace's GPU. Errors: those of the GPU
absl::StatusOr<double> MeasureCopySpeed(Workplace& at, std::int64_t bytes);

}  // namespace glint::cuda
