// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <span>

#include "glint/plane.h"

namespace glint {

/// Shortest side of frames that the flow takes, pixels.
inline constexpr int kMinFlowSide = 16;

/// The frames are what FlowStage takes, and lie on this device. Errors: INTERNAL
absl::Status CheckFlowFrames(std::span<const Plane> frames, Device device);

/// The same of FlowStage::MeanLengths: there are at least two, one more than `lengths`.
absl::Status CheckFlowFrames(std::span<const Plane> frames, Device device, std::size_t lengths);

}  // namespace glint
