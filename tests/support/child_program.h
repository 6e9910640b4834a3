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

/// When a program is killed (SIGKILL), if it still runs then.
struct KillAfter {
  std::chrono::microseconds time;
  std::string saying = {};  ///< counted from when it has said this; empty: from its start
};

/// Runs a program to its end, or kills it.
/// @param arguments  the program's path first
ProgramRun RunProgram(const std::vector<std::string>& arguments,
                      const std::optional<KillAfter>& kill_after = std::nullopt);

}  // namespace glint
