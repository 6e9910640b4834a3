// SPDX-License-Identifier: Apache-2.0
// How the log looks. Loggers are spdlog's; what passes through this formatter is redacted.
#pragma once

#include <spdlog/formatter.h>

#include <memory>
#include <string>
#include <string_view>

namespace glint {

enum class LogFormat {
  kText,  ///< "12:00:00.123 info [scan-1] message", local time; "[scan-1 trace 4bf9...]"
  kJson,  ///< {"time": "...Z", "level": "info", "scan_id": "scan-1", "message": "..."}, UTC;
          ///< "trace_id"
};

/// Formats lines without secrets: the message passes Redact (observe/redact.h), control characters
/// in it are escaped, and lines logged under a ScopedLogScan carry its ids. Give it to every
/// logger.
/// @param line_end  what ends a line: "\n", or nothing for a sink that does it by itself
std::unique_ptr<spdlog::formatter> MakeLogFormatter(LogFormat format, std::string line_end);

/// While it lives, what this thread logs belongs to a scan. May be nested; the innermost counts.
class ScopedLogScan {
 public:
  /// @param trace  what the scan is a part of, as TraceParent() gives it; empty: of none
  explicit ScopedLogScan(std::string_view scan_id, std::string_view trace = "");
  ~ScopedLogScan();
  ScopedLogScan(const ScopedLogScan&) = delete;
  ScopedLogScan& operator=(const ScopedLogScan&) = delete;

 private:
  std::string outer_scan_, outer_trace_;
};

}  // namespace glint
