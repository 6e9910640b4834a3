// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace glint {

/// What a program said and how it ended.
struct ProgramRun {
  std::string said;         ///< stdout
  bool ended_well = false;  ///< exit code 0
};

/// Runs a program; kills it (SIGKILL) when it still runs after a time.
/// @param arguments  the program's path first
ProgramRun RunProgram(const std::vector<std::string>& arguments,
                      std::optional<std::chrono::microseconds> kill_after = std::nullopt);

}  // namespace glint
