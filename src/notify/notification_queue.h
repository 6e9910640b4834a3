// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "notify/notifier.h"

namespace glint {

/// What waits for one target: the latest notification of each scan, in the order in which scans
/// first had something to say. Safe to use from several threads.
class NotificationQueue {
 public:
  using Clock = std::chrono::steady_clock;

  explicit NotificationQueue(const NotifierOptions& options) : options_(options) {}

  /// Adds a notification, or replaces the one of its scan. When the queue is full, the oldest
  /// notification that is not final makes room; when all are final, the new one is dropped.
  void Push(const ScanNotification& notification);

  /// Waits for a notification whose turn it is. Nothing when the queue has been closed and is
  /// empty, or `drain_timeout` after it was closed.
  std::optional<ScanNotification> Pop();

  /// Takes no more; what waits may still be popped, without waiting for its turn.
  void Close();

  /// When the last notifications must be out; nothing before Close.
  std::optional<Clock::time_point> end() const;

  std::int64_t merged() const;
  std::int64_t dropped() const;

 private:
  std::deque<ScanNotification>::iterator NextReady(Clock::time_point now, Clock::time_point& wake)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const NotifierOptions options_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<ScanNotification> waiting_ ABSL_GUARDED_BY(mutex_);
  // When scans that go on were last told of.
  std::map<std::string, Clock::time_point> last_sent_ ABSL_GUARDED_BY(mutex_);
  std::optional<Clock::time_point> end_ ABSL_GUARDED_BY(mutex_);
  std::int64_t merged_ ABSL_GUARDED_BY(mutex_) = 0;
  std::int64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace glint
