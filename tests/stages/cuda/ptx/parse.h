// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string_view>

#include "stages/cuda/ptx/code.h"
#include "stages/cuda/ptx/operations.h"

namespace glint::cuda::ptx {

/// What one file of PTX holds, as nvcc writes it: one statement per line.
///
/// Errors: INVALID_ARGUMENT with the line for whatever is not known, so that nothing is left out.
absl::StatusOr<Module> Parse(std::string_view text, Floats floats = Floats::kExact);

}  // namespace glint::cuda::ptx
