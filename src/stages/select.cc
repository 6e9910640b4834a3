// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "glint/backend.h"
#include "glint/error.h"
#include "stages/opencv_threads.h"

namespace glint {

absl::StatusOr<BackendChoice> SelectBackend(std::string_view wanted,
                                            std::span<const BackendEntry> table,
                                            const BackendOptions& options) {
  KeepOpenCvOnTheCallingThread();
  const bool automatic = wanted == "auto";
  bool known = automatic;
  BackendChoice choice;
  std::string skipped;
  std::string names = "auto";
  for (const BackendEntry& entry : table) {
    names += fmt::format(", {}", entry.name);
    if (!automatic && entry.name != wanted) continue;
    known = true;
    const absl::Status probed = entry.probe(options);
    choice.probes.push_back({std::string(entry.name), probed});
    if (!probed.ok()) {
      skipped += fmt::format("; {} skipped: {}", entry.name, Message(probed));
      continue;
    }
    auto backend = entry.make(options);
    if (!backend.ok()) {
      skipped += fmt::format("; {} skipped: {}", entry.name, Message(backend.status()));
      continue;
    }
    choice.name = entry.name;
    choice.why = automatic ? "first of auto that works" + skipped : "forced";
    choice.backend = *std::move(backend);
    return choice;
  }
  if (!known) {
    return Error(Reason::kInvalidOption,
                 fmt::format("no device is called '{}'; there are: {}", wanted, names));
  }
  return Error(Reason::kDeviceUnavailable,
               fmt::format("device '{}' does not work here{}", wanted, skipped));
}

}  // namespace glint
