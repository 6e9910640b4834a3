// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace glint {

/// The version of this library, e.g. "0.1.0".
std::string_view Version();

}  // namespace glint
