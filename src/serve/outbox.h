// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "jobs/job_store.h"
#include "notify/notifier.h"

namespace glint {

struct OutboxOptions {
  std::chrono::milliseconds look{1'000};        ///< between looks at the job store
  std::chrono::milliseconds first_wait{5'000};  ///< after a failure; doubled each time
  std::chrono::milliseconds longest_wait{15 * 60'000};
  int attempts = 100;                       ///< a day, about; then the notice is a dead letter
  std::chrono::milliseconds hold{120'000};  ///< that an attempt may take
};

/// Tells targets of ends of jobs that they were not told of at once: because they were away, or the
/// worker died first. Each end is told at least once, under the same id (X-Glint-Delivery).
class Outbox {
 public:
  /// @param jobs  must outlive this; its JobLimits::notify names the targets
  Outbox(JobStore& jobs, std::vector<std::unique_ptr<NotificationTarget>> targets,
         OutboxOptions options = {});
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  std::int64_t delivered() const { return delivered_; }
  /// Notices that were given up.
  std::int64_t dead() const { return dead_; }

 private:
  void Serve(NotificationTarget& target, const std::stop_token& stop);
  void Tell(NotificationTarget& target, const JobStore::Notice& notice, const CancelToken& cancel);

  JobStore& jobs_;
  const std::vector<std::unique_ptr<NotificationTarget>> targets_;
  const OutboxOptions options_;
  std::atomic<std::int64_t> delivered_ = 0;
  std::atomic<std::int64_t> dead_ = 0;
  std::vector<std::jthread> threads_;  // one per target
};

}  // namespace glint
