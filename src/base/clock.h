// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <stop_token>

#include "glint/cancel.h"

namespace glint {

/// The time as far as it is waited for. All pauses, back-offs and repetitions go through one of
/// these, so that tests can put a clock in its place that need not be waited for. Safe to use from
/// several threads.
class SteadyClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  virtual ~SteadyClock() = default;
  virtual TimePoint Now() const = 0;
  /// Waits; a stop ends that at once. @return whether the time passed without a stop
  virtual bool Sleep(Duration time, const std::stop_token& stop) = 0;

  /// Waits, unless cancelled. Errors: CANCELLED, DEADLINE_EXCEEDED
  absl::Status Wait(Duration time, const CancelToken& cancel);
};

/// The clock of the machine.
SteadyClock& RealClock();

}  // namespace glint
