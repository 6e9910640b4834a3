// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string_view>

namespace glint {

/// A side of the picture as displayed, clockwise from the top.
enum class PictureSide { kTop, kRight, kBottom, kLeft };

/// "top", "right", "bottom", "left".
std::string_view Name(PictureSide side);

/// The side of this name. Errors: INVALID_OPTION listing the names there are
absl::StatusOr<PictureSide> FindPictureSide(std::string_view name);

}  // namespace glint
