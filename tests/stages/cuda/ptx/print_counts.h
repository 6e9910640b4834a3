// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "stages/cuda/ptx/count.h"

namespace glint::cuda::ptx {

/// Prints what a kernel costs as one line of JSON, for bench/scripts/kernel_table.py.
/// @param pixels  of frames, over which the sums are
void PrintCounts(std::string_view stage, std::string_view kernel, std::string_view symbol,
                 const Counts& counts, double pixels);

}  // namespace glint::cuda::ptx
