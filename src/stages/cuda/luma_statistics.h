// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <span>

#include "glint/stages.h"
#include "stages/cuda/context.h"
#include "stages/cuda/kernels/luma_statistics.h"

namespace glint::cuda {

/// Sums per plane that AddStatistics writes.
inline constexpr std::size_t kStatisticsSums = LumaStatisticsKernel::kSums;

/// Puts the statistics of planes to work.
/// @param sums  kStatisticsSums per plane on the GPU, cleared before
absl::Status AddStatistics(WorkSink& to, std::span<const Plane> luma, std::uint64_t* sums);

/// What a plane's sums mean.
LumaStatistics StatisticsOf(Size size, std::span<const std::uint64_t, kStatisticsSums> sums);

}  // namespace glint::cuda
