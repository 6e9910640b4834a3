// SPDX-License-Identifier: Apache-2.0
// For programs that tests kill: what they say counts up to the last line, whenever they die.
#pragma once

#include <absl/status/status.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "glint/error.h"

namespace glint {

/// Says a line on stdout, in one piece.
inline void Say(const std::string& line) {
  if (write(STDOUT_FILENO, line.data(), line.size()) != std::ssize(line)) std::_Exit(3);
}

/// Says what failed, and ends the program.
inline void Must(const absl::Status& status) {
  if (status.ok()) return;
  Say(fmt::format("ERROR {}\n", Message(status)));
  std::_Exit(2);
}

}  // namespace glint
