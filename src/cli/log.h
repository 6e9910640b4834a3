// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace glint {

class Console;

/// Sends the log to stderr through the console, so that lines do not tear the status line.
/// @param level  trace, debug, info, warn, error or off
void SetUpLog(Console& console, const std::string& level);

}  // namespace glint
