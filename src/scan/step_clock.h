// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "glint/progress.h"
#include "glint/report.h"

namespace glint {

/// Announces the steps of one scan and notes how long each took.
class StepClock {
 public:
  /// @param sink  may be null; must outlive the clock
  explicit StepClock(ProgressSink* sink);

  /// The scan is in `step` from now on. Steps only go forward; from one side of an item to the next
  /// they begin again.
  void Enter(ScanStep step);

  /// The steps before uploading are those of one side of an item now. @param side  from 0
  void BeginSide(int side, int sides);

  /// How far the present step is. @param fraction  of the step, 0..1
  void Advance(double fraction, std::int64_t frames, std::int64_t frames_of);

  /// How far the download is. @param bytes_of  0 when unknown
  void Downloaded(std::int64_t bytes, std::int64_t bytes_of);

  /// Everything until now, the present step included, with the process's CPU time since the clock
  /// was made and its peak memory.
  ScanTiming SoFar(int threads) const;

 private:
  using Clock = std::chrono::steady_clock;
  void Announce(double fraction);
  std::vector<std::pair<std::string, double>> StepsUntil(Clock::time_point now) const;

  ProgressSink* sink_;
  Clock::time_point start_ = Clock::now();
  double cpu_start_ms_;
  Clock::time_point step_start_ = start_;
  Progress progress_;
  int side_ = 0, sides_ = 1;
  std::vector<std::pair<std::string, double>>
      finished_;  // milliseconds of the steps before the present one
};

}  // namespace glint
