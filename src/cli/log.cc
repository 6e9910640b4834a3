// SPDX-License-Identifier: Apache-2.0
#include "cli/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "cli/console.h"
#include "cli/text.h"
#include "observe/line_queue.h"

namespace glint {
namespace {

class ConsoleSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ConsoleSink(Console& console) : console_(console) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t formatted;
    formatter_->format(message, formatted);
    console_.Say(OneLine(std::string_view(formatted.data(), formatted.size())));
  }
  void flush_() override {}

  Console& console_;
};

class QueueSink final : public spdlog::sinks::base_sink<std::mutex> {
 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t formatted;
    formatter_->format(message, formatted);
    lines_.Push(OneLine(std::string_view(formatted.data(), formatted.size())));
  }
  void flush_() override {}

  LineQueue lines_{STDERR_FILENO};
};

void SetDefault(spdlog::sink_ptr sink, const std::string& level, LogFormat format) {
  auto logger = std::make_shared<spdlog::logger>("glint", std::move(sink));
  logger->set_formatter(MakeLogFormatter(format, ""));
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace

void SetUpLog(Console& console, const std::string& level, LogFormat format) {
  SetDefault(std::make_shared<ConsoleSink>(console), level, format);
}

void SetUpServiceLog(const std::string& level, LogFormat format) {
  SetDefault(std::make_shared<QueueSink>(), level, format);
}

}  // namespace glint
