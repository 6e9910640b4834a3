// SPDX-License-Identifier: Apache-2.0
// Tells others how scans get on. Whatever happens to a notification, the scan never fails and never
// waits.
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "glint/cancel.h"
#include "glint/progress.h"

namespace glint {

/// What is told: how a scan stands after an event.
struct ScanNotification {
  std::string scan_id;   ///< with its owner, where it has one: "@OWNER/ID"
  std::int64_t seq = 0;  ///< of the event; a notification with a lower one is out of date
  std::string state;     ///< "queued", "running", "succeeded", "failed", "cancelled"
  bool final = false;    ///< the last notification of its scan
  ScanStep step = ScanStep::kQueued;
  double fraction = 0;  ///< of the whole scan, 0..1
  std::string message;  ///< for people; of a failure, what happened. Without secrets.
  std::string reason;   ///< of a failure: a name of glint/error.h
  std::chrono::sys_time<std::chrono::milliseconds> time;
  std::string trace;  ///< W3C trace context (traceparent) of who asked for the scan; may be empty
};

/// Somebody who is told. Called from one thread.
class NotificationTarget {
 public:
  virtual ~NotificationTarget() = default;
  /// "webhook", "row": for the log and the metrics.
  virtual std::string name() const = 0;
  /// Delivers, repeating what may pass. Errors: for the log
  virtual absl::Status Deliver(const ScanNotification& notification, const CancelToken& cancel) = 0;
};

struct NotifierOptions {
  std::size_t capacity = 1000;  ///< notifications that wait per target; then some are dropped
  std::chrono::milliseconds min_interval{
      500};  ///< between notifications of one scan, except the final one
  /// Told of each final notification that was delivered, from the thread of its target.
  std::function<void(const std::string& scan_id, const std::string& target)> on_final = {};
  std::chrono::milliseconds drain_timeout{5000};  ///< for what still waits when the notifier ends
};

/// What became of the notifications to one target.
struct NotificationCounts {
  std::string target;
  std::int64_t delivered = 0;
  std::int64_t merged = 0;   ///< replaced by a newer one of the same scan while they waited
  std::int64_t failed = 0;   ///< given up
  std::int64_t dropped = 0;  ///< the queue was full, or the notifier ended
};

/// Passes notifications on, each target with a thread and a queue of its own.
class Notifier {
 public:
  virtual ~Notifier() = default;
  /// Returns at once. A scan's later notification takes the place of one that still waits.
  virtual void Post(const ScanNotification& notification) noexcept = 0;
  virtual std::vector<NotificationCounts> counts() const = 0;
};

/// The destructor delivers what waits, for `drain_timeout` at most.
std::unique_ptr<Notifier> MakeNotifier(std::vector<std::unique_ptr<NotificationTarget>> targets,
                                       const NotifierOptions& options = {});

}  // namespace glint
