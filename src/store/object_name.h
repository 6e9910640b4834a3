// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <string_view>

namespace glint {

/// OK when a store may use the name: relative, '/' between parts, no part empty or with a leading
/// dot (which rules out "..", and keeps the store's own hidden folders apart), no control
/// character, each part at most 255 bytes. Every ObjectStore applies the same rule, so that a name
/// that works in one works in all. Errors: INVALID_OPTION, naming the name and the rule
absl::Status CheckObjectName(std::string_view name);

}  // namespace glint
