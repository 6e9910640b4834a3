// SPDX-License-Identifier: Apache-2.0
#include "observe/log.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "observe/redact.h"
#include "observe/trace_context.h"

namespace glint {
namespace {

thread_local std::string scan_of_thread, trace_of_thread;

std::string_view View(spdlog::string_view_t text) { return {text.data(), text.size()}; }

std::string Time(std::chrono::system_clock::time_point time, LogFormat format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count() %
      1'000'000;
  std::tm parts{};
  if (format == LogFormat::kText) {
    localtime_r(&seconds, &parts);
    return fmt::format("{:02}:{:02}:{:02}.{:03}", parts.tm_hour, parts.tm_min, parts.tm_sec,
                       micros / 1000);
  }
  gmtime_r(&seconds, &parts);
  return fmt::format("{}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     micros);
}

/// Control characters as "\n" or "\x1b", so that nobody forges lines or colours a terminal.
std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f)) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

class LogFormatter final : public spdlog::formatter {
 public:
  LogFormatter(LogFormat format, std::string line_end)
      : format_(format), line_end_(std::move(line_end)) {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    const std::string_view level = View(spdlog::level::to_string_view(message.level));
    const std::string text = Redact(View(message.payload));
    const std::string line =
        format_ == LogFormat::kText ? Text(message, level, text) : Json(message, level, text);
    out.append(line.data(), line.data() + line.size());
    out.append(line_end_.data(), line_end_.data() + line_end_.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<LogFormatter>(format_, line_end_);
  }

 private:
  std::string Text(const spdlog::details::log_msg& message, std::string_view level,
                   std::string_view text) const {
    const std::string trace =
        trace_of_thread.empty() ? "" : fmt::format(" trace {}", trace_of_thread);
    const std::string scan =
        scan_of_thread.empty() ? "" : fmt::format("[{}{}] ", scan_of_thread, trace);
    return fmt::format("{} {} {}{}", Time(message.time, format_), level, scan, Printable(text));
  }

  std::string Json(const spdlog::details::log_msg& message, std::string_view level,
                   std::string_view text) const {
    nlohmann::ordered_json line = {{"time", Time(message.time, format_)}, {"level", level}};
    if (!scan_of_thread.empty()) line["scan_id"] = scan_of_thread;
    if (!trace_of_thread.empty()) line["trace_id"] = trace_of_thread;
    line["message"] = text;
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }

  const LogFormat format_;
  const std::string line_end_;
};

}  // namespace

std::unique_ptr<spdlog::formatter> MakeLogFormatter(LogFormat format, std::string line_end) {
  return std::make_unique<LogFormatter>(format, std::move(line_end));
}

ScopedLogScan::ScopedLogScan(std::string_view scan_id, std::string_view trace)
    : outer_scan_(std::exchange(scan_of_thread, std::string(scan_id))),
      outer_trace_(std::exchange(trace_of_thread, std::string(TraceId(trace)))) {}

ScopedLogScan::~ScopedLogScan() {
  scan_of_thread = std::move(outer_scan_);
  trace_of_thread = std::move(outer_trace_);
}

}  // namespace glint
