// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace glint {

/// JSON for machines that people can read too: what fits a line stays on one line, the rest is
/// indented by two spaces. Ends with a line end. Text that is not valid UTF-8 is replaced by
/// U+FFFD.
std::string ReadableText(const nlohmann::ordered_json& value);

/// The number rounded to so many decimals, as JSON; null when it is not finite.
nlohmann::ordered_json Rounded(double value, int decimals);

}  // namespace glint
