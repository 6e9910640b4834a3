// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include "glint/plane.h"

namespace glint {

/// Mask and values are what ConnectedComponentsStage wants, and lie on this device: OK, or
/// INTERNAL with both shapes in the message.
absl::Status CheckComponents(const Plane& mask, const Plane& values, Device device);

}  // namespace glint
