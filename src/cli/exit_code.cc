// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "jobs/failure_reason.h"

namespace glint {

int ExitCodeOf(const absl::Status& status) {
  const auto reason = FailureReasonOf(status);
  return reason ? Info(*reason).exit_code : kExitSuccess;
}

int Worse(int a, int b) {
  const auto rank = [](int code) {
    const int kind = code == kExitCancelled ? 2 : code == Info(Reason::kInternal).exit_code ? 1 : 0;
    return std::pair(kind, code);
  };
  return std::max(a, b, [&](int left, int right) { return rank(left) < rank(right); });
}

std::string ExitCodeHelp() {
  return "Exit codes: 0 is done; 'glint help exit-codes' lists the others.";
}

std::string ExitCodeTable() {
  std::multimap<int, const ReasonInfo*> by_code;
  for (const FailureReason reason : FailureReasons()) {
    by_code.emplace(Info(reason).exit_code, &Info(reason));
  }
  std::string help = "Exit codes:\n    0  done\n";
  for (const auto& [code, info] : by_code) {
    help += fmt::format("  {:3}  {}: {}\n", code, info->name, info->help);
  }
  return help + "A batch exits with the code of its worst scan.";
}

}  // namespace glint
