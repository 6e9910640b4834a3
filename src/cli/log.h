// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "observe/log.h"

namespace glint {

class Console;

/// Sends the log to stderr through the console, so that lines do not tear the status line, and
/// without secrets.
/// @param level  trace, debug, info, warn, error or off
void SetUpLog(Console& console, const std::string& level, LogFormat format);

/// The same for a service, which shows no status line and must never wait for who reads its log:
/// lines go through a queue (observe/line_queue.h).
void SetUpServiceLog(const std::string& level, LogFormat format);

}  // namespace glint
