// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "jobs/job_store.h"

namespace glint {

/// Tells the queue that this worker is there, and learns who else is. On a thread of its own: a
/// queue that is away makes nobody wait.
class FleetMembership {
 public:
  using Fleet = std::shared_ptr<const std::vector<RegisteredWorker>>;

  /// How often a worker reports; one that was not heard of for three times as long is gone.
  static constexpr std::chrono::seconds kPeriod{10};

  /// @param jobs     must outlive this
  /// @param self     without `running`, `seen` and `unseen_for`
  /// @param running  scans under way
  /// @param listens  whether it learns of the others
  FleetMembership(JobStore& jobs, RegisteredWorker self, std::function<int()> running, bool listens,
                  std::chrono::milliseconds period = kPeriod);
  /// Says that the worker ends, unless the queue was away when it was spoken to last.
  ~FleetMembership();

  /// Who works on the queue, as last seen; `unseen_for` is as of now. Null: nobody has been seen
  /// yet.
  Fleet fleet() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Run(const std::stop_token& stop);
  /// @return whether the queue was told
  bool Report(bool gone);

  JobStore& jobs_;
  const RegisteredWorker self_;
  const std::function<int()> running_;
  const bool listens_;
  const std::chrono::milliseconds period_;
  mutable Mutex mutex_;
  Fleet fleet_ ABSL_GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point read_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> reachable_ = false;
  std::jthread thread_;
};

}  // namespace glint
