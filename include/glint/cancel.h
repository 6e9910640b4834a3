// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <optional>
#include <stop_token>

namespace glint {

/// Asks work to end early: the caller's cancellation, a deadline, or both. Cheap to copy and to
/// poll; long work polls it at least once per frame. Safe to use from several threads.
class CancelToken {
 public:
  using Clock = std::chrono::steady_clock;

  /// Never cancels.
  CancelToken() = default;
  explicit CancelToken(std::stop_token stop, std::optional<Clock::time_point> deadline = {})
      : stop_(std::move(stop)), deadline_(deadline) {}

  /// OK, or the CANCELLED or DEADLINE_EXCEEDED status that the work returns.
  absl::Status Check() const;

  const std::stop_token& stop() const { return stop_; }
  const std::optional<Clock::time_point>& deadline() const { return deadline_; }

 private:
  std::stop_token stop_;
  std::optional<Clock::time_point> deadline_;
};

}  // namespace glint
