// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace glint {

/// What this library and its decoder were built from, e.g. "0.1.0 3f2a9c01d4e5b6a7": the version,
/// and a hash of the sources of both and of how they were compiled. The two speak to each other
/// only when it is the same.
std::string_view DecodeBuildId();

}  // namespace glint
