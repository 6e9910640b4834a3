// SPDX-License-Identifier: Apache-2.0
// The log: spdlog's default logger with our formats. Everything that passes through it is redacted.
#pragma once

#include <spdlog/formatter.h>

#include <memory>
#include <string>
#include <string_view>

namespace glint {

enum class LogFormat {
  kText,  ///< "12:00:00.123 info [scan-1] message", local time
  kJson,  ///< {"time": "...Z", "level": "info", "scan_id": "scan-1", "message": "..."}, UTC
};

/// Formats lines without secrets: the message passes Redact (observe/redact.h), line breaks and
/// control characters in it are escaped, and lines logged under a LogScan carry its id.
std::unique_ptr<spdlog::formatter> MakeLogFormatter(LogFormat format);

/// Makes stderr the log, one line per message.
/// @param level  trace, debug, info, warn, error or off
void SetUpServiceLog(LogFormat format, const std::string& level);

/// While it lives, what this thread logs belongs to a scan. May be nested; the innermost counts.
class LogScan {
 public:
  explicit LogScan(std::string_view scan_id);
  ~LogScan();
  LogScan(const LogScan&) = delete;
  LogScan& operator=(const LogScan&) = delete;

 private:
  std::string outer_;
};

}  // namespace glint
