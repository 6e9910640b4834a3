// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <algorithm>

#include "base/mutex.h"
#include "base/status_macros.h"

namespace glint {

absl::Status SteadyClock::Wait(Duration time, const CancelToken& cancel) {
  GLINT_RETURN_IF_ERROR(cancel.Check());
  if (cancel.deadline()) time = std::min(time, *cancel.deadline() - Now());
  Sleep(time, cancel.stop());
  return cancel.Check();
}

SteadyClock& RealClock() {
  class Real final : public SteadyClock {
    TimePoint Now() const override { return std::chrono::steady_clock::now(); }
    bool Sleep(Duration time, const std::stop_token& stop) override {
      Mutex mutex;
      CondVar stopped;  // told by the stop itself
      const MutexLock lock(mutex);
      return !stopped.WaitFor(mutex, stop, time, [&] { return stop.stop_requested(); });
    }
  };
  static Real clock;
  return clock;
}

}  // namespace glint
