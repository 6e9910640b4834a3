// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>

#include "glint/report.h"

namespace glint {

/// Encodes one golden frame for the result: all of it as PNG, and smaller for the page. Needs
/// nothing but the frame, so that it can be done while the object is still being looked for.
/// @param rgb       kU8x3 on the host
/// @param pictures  that share the page, this one included, so that it does not grow with them
/// Errors: INTERNAL another type of plane; OUT_OF_MEMORY
absl::StatusOr<GoldenPicture> EncodeGoldenPicture(const Plane& rgb, std::size_t pictures);

}  // namespace glint
