// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace glint {

/// The text as a protobuf string may hold it: bytes that are no UTF-8 as U+FFFD, and at most `most`
/// bytes ("..." at the end when something was cut).
std::string ValidUtf8(std::string_view text, std::size_t most = std::string::npos);

}  // namespace glint
