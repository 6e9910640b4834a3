// SPDX-License-Identifier: Apache-2.0
#include "cli/log.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>
#include <string_view>

#include "cli/console.h"
#include "cli/text.h"

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

}  // namespace

void SetUpLog(Console& console, const std::string& level, LogFormat format) {
  auto sink = std::make_shared<ConsoleSink>(console);
  auto logger = std::make_shared<spdlog::logger>("glint", std::move(sink));
  logger->set_formatter(MakeLogFormatter(format, ""));
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace glint
