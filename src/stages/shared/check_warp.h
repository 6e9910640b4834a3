// SPDX-License-Identifier: Apache-2.0
// What every backend asks of a warp's arguments. Errors: INTERNAL
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "glint/stages.h"

namespace glint {

/// All entries are finite. @param where  begins the message
absl::Status CheckHomography(std::string_view where, const Homography& homography);

/// Both planes are kS16 on the host and have the nodes of a picture of `size`.
absl::Status CheckDisplacement(std::string_view where, const Displacement& displacement, Size size);

}  // namespace glint
