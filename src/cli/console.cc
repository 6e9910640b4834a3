// SPDX-License-Identifier: Apache-2.0
#include "cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace glint {
namespace {

std::string_view EnvironmentValue(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool LocaleIsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {  // the first that is set counts
    const std::string_view locale = EnvironmentValue(name);
    if (locale.empty()) continue;
    return locale.find("UTF-8") != std::string_view::npos ||
           locale.find("utf8") != std::string_view::npos;
  }
  return false;
}

}  // namespace

Console::Console()
    : status_line_(isatty(STDERR_FILENO) == 1 && !EnvironmentValue("TERM").empty() &&
                   EnvironmentValue("TERM") != "dumb"),
      unicode_(LocaleIsUtf8()) {
  const bool colour = EnvironmentValue("NO_COLOR").empty();
  colour_status_ = colour && status_line_;
  colour_results_ = colour && isatty(STDOUT_FILENO) == 1 && EnvironmentValue("TERM") != "dumb";
}

int Console::width() const {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

void Console::Write(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

void Console::Print(std::string_view text) {
  const MutexLock lock(mutex_);
  if (!status_.empty()) Write(stderr, "\r\x1b[K");
  Write(stdout, text);
  Write(stderr, status_);
}

void Console::Say(std::string_view line) {
  const MutexLock lock(mutex_);
  Write(stderr, fmt::format("{}{}\n{}", status_.empty() ? "" : "\r\x1b[K", line, status_));
}

void Console::SetStatus(std::string_view line) {
  const MutexLock lock(mutex_);
  if (!status_line_ || (line.empty() && status_.empty())) return;
  // One write that overwrites and then clears the rest: clearing first would flicker.
  status_ = line;
  Write(stderr, fmt::format("\r{}\x1b[K", line));
}

}  // namespace glint
