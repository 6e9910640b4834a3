// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <span>

#include "glint/stages.h"

namespace glint {

/// The evidence is what ClassicFusionStage::Score wants, and lies on this device: OK, or
/// INTERNAL with both shapes in the message.
absl::Status CheckEvidence(std::span<const ClassicEvidence> evidence, std::span<const Plane> greys,
                           Device device);

}  // namespace glint
