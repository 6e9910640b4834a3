// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "glint/stages.h"

namespace glint::cuda {

/// Noise over a wave that moves a little from frame to frame.
std::vector<Plane> Frames(int count, Size size);

struct Measures {
  std::vector<LumaStatistics> statistics;
  std::vector<double> lengths;
  bool operator==(const Measures&) const = default;
};

/// Measures frames in batches of these lengths, as many under way as the stage allows.
absl::StatusOr<Measures> Measure(MeasureStage& stage, std::span<const Plane> frames,
                                 std::span<const std::size_t> batches, bool motion);

}  // namespace glint::cuda
