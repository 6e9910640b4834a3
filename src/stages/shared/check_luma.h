// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <span>

#include "glint/stages.h"

namespace glint {

/// Stored luma is what LumaConversionStage::Run takes. Errors: INTERNAL
absl::Status CheckStoredLuma(std::span<const Plane> stored, const LumaFormat& format,
                             Device device);

}  // namespace glint
