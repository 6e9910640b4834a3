// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string_view>
#include <vector>

#include "stages/cuda/ptx/code.h"

namespace glint::cuda::ptx {

/// The kernels of one file of PTX, as nvcc writes it: one statement per line.
///
/// Errors: INVALID_ARGUMENT with the line for whatever is not known, so that nothing is left out.
absl::StatusOr<std::vector<Code>> Parse(std::string_view text);

}  // namespace glint::cuda::ptx
