// SPDX-License-Identifier: Apache-2.0
#include "cli/crash_report.h"

#include <absl/debugging/failure_signal_handler.h>
#include <absl/debugging/symbolize.h>

#include <csignal>

namespace glint {

void ReportCrashes(const char* program) {
  // To be asked to end is no crash, and whoever ignores it for us means it.
  struct sigaction asked_to_end {};
  sigaction(SIGTERM, nullptr, &asked_to_end);
  absl::InitializeSymbolizer(program);
  absl::InstallFailureSignalHandler({});
  sigaction(SIGTERM, &asked_to_end, nullptr);
}

}  // namespace glint
