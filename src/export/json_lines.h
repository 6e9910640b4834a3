// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace glint {

/// A JSON object with each key, and each element of a list of objects, on a line of its own: long
/// outlines stay short, and lines can be compared. Text that is no UTF-8 is replaced by U+FFFD.
std::string JsonLines(const nlohmann::ordered_json& object);

}  // namespace glint
