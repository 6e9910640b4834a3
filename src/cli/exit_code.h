// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <string>

namespace glint {

inline constexpr int kExitSuccess = 0;
inline constexpr int kExitUsage = 2;        ///< as INVALID_OPTION in glint/error.h
inline constexpr int kExitCancelled = 130;  ///< as CANCELLED there: 128 + SIGINT

/// 0 for OK, else the exit code of the status' reason (the table in glint/error.h).
int ExitCodeOf(const absl::Status& status);

/// The exit code of two pieces of work together: cancelled before everything else, then a bug of
/// ours, then the higher code.
int Worse(int a, int b);

/// Where a command's `--help` sends whoever wants to know exit codes.
std::string ExitCodeHelp();

/// The table of exit codes for `glint help exit-codes` and the manual page.
std::string ExitCodeTable();

}  // namespace glint
