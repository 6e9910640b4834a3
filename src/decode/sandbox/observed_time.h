// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace glint::sandbox {

/// Time as a process that waits sees it pass, look by look. While the machine stalls (a frozen
/// container, a virtual machine that is moved, processors that others have), what is waited for
/// stands still, too: so little of the time between two looks counts.
class ObservedTime {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param longest  what counts between two looks at most
  explicit ObservedTime(Clock::duration longest, Clock::time_point now = Clock::now())
      : longest_(longest), last_(now) {}

  /// @return what has counted so far
  Clock::duration Look(Clock::time_point now = Clock::now()) {
    counted_ += std::min(now - last_, longest_);
    last_ = now;
    return counted_;
  }

 private:
  Clock::duration longest_;
  Clock::time_point last_;
  Clock::duration counted_{};
};

}  // namespace glint::sandbox
