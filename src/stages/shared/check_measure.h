// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <span>

#include "glint/stages.h"

namespace glint {

/// A batch is one that MeasureStage::Begin takes.
/// @param before  the size of the frames before it; of area 0 when there are none
absl::Status CheckBatch(std::span<const Plane> luma, bool motion, Size before);

/// What MeasureStage::End is to fill belongs to a batch of `frames` frames; 0: none has begun.
absl::Status CheckBatchEnd(std::size_t frames, bool motion, std::size_t statistics,
                           std::size_t lengths);

}  // namespace glint
