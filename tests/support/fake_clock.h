// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/mutex.h"

namespace glint {

/// A clock that only sleeping moves, and that at once.
class FakeClock final : public SteadyClock {
 public:
  TimePoint Now() const override {
    const MutexLock lock(mutex_);
    return now_;
  }
  bool Sleep(Duration time, const std::stop_token& stop) override {
    const MutexLock lock(mutex_);
    if (stop.stop_requested()) return false;
    now_ += time;
    sleeps_.push_back(time);
    return true;
  }
  /// How long each sleep was, in their order.
  std::vector<Duration> sleeps() const {
    const MutexLock lock(mutex_);
    return sleeps_;
  }

 private:
  mutable Mutex mutex_;
  TimePoint now_ ABSL_GUARDED_BY(mutex_) = std::chrono::steady_clock::now();
  std::vector<Duration> sleeps_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace glint
