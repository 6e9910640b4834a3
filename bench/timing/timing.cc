// SPDX-License-Identifier: Apache-2.0
#include "bench/timing/timing.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/median.h"
#include "base/status_macros.h"

namespace glint {

absl::StatusOr<double> TimeRuns(const std::function<absl::Status()>& work, double seconds,
                                const CancelToken& cancel) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kMin = 3;
  GLINT_RETURN_IF_ERROR(work());
  std::vector<double> runs;
  for (double spent = 0; spent < seconds || runs.size() < kMin; spent += runs.back()) {
    GLINT_RETURN_IF_ERROR(cancel.Check());
    const auto start = Clock::now();
    GLINT_RETURN_IF_ERROR(work());
    runs.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  return UpperMedian(runs);
}

}  // namespace glint
