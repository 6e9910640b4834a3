// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/timing.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/median.h"

namespace glint {

absl::StatusOr<double> TimeRuns(const std::function<absl::Status()>& work, double seconds,
                                const CancelToken& cancel) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kMin = 3;
  if (absl::Status status = work(); !status.ok()) return status;
  std::vector<double> runs;
  for (double spent = 0; spent < seconds || runs.size() < kMin; spent += runs.back()) {
    if (absl::Status status = cancel.Check(); !status.ok()) return status;
    const auto start = Clock::now();
    if (absl::Status status = work(); !status.ok()) return status;
    runs.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return UpperMedian(runs);
}

}  // namespace glint
