// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/mutex.h"
#include "glint/progress.h"
#include "jobs/job_store.h"
#include "workers/scan_worker_pool.h"

namespace glint {

/// Why a scan was told to stop before its end.
enum class StopCause {
  kNone,
  kCancelled,  ///< the caller asked
  kTimedOut,   ///< it took longer than a scan may
  kTooSlow,    ///< it would take longer than a scan may
  kLeaseLost,  ///< another worker has the job
  kDraining,   ///< the worker shuts down
};

/// Keeps the lease of a job while its scan runs: on a thread of its own, so that neither a slow
/// step nor a slow job store stops the other, it renews the lease, records progress, sees
/// cancellations and the scan's time limit, and ends the job when the scan does not stop.
class LeaseKeeper final : public ProgressSink {
 public:
  using Clock = std::chrono::steady_clock;

  /// All arguments but the lease must outlive this.
  LeaseKeeper(JobStore& jobs, JobLease lease, const ScanWorkerOptions& options,
              ServiceMetrics& metrics);
  ~LeaseKeeper() override { Finish(); }

  /// Called by the scan; does not wait for the job store.
  void OnProgress(const Progress& progress) override ABSL_LOCKS_EXCLUDED(mutex_);

  /// The job was changed by somebody: looks soon whether it was cancelled.
  void Wake() ABSL_LOCKS_EXCLUDED(mutex_);
  /// Tells the scan to stop. The first cause stays.
  void Stop(StopCause cause) ABSL_LOCKS_EXCLUDED(mutex_);
  /// The scan has ended: records what is left to record and ends the thread.
  void Finish() ABSL_LOCKS_EXCLUDED(mutex_);

  /// Renews the lease before something that cannot be taken back; waits while the job store is
  /// unavailable, at most for one lease time. Errors: CLAIM_LOST, CANCELLED, JOB_STORE_UNAVAILABLE
  absl::Status Confirm();

  const JobLease& lease() const { return lease_; }
  std::stop_token stop_token() const { return stop_.get_token(); }
  StopCause cause() const ABSL_LOCKS_EXCLUDED(mutex_);
  /// Whether the job was ended without waiting for the scan any longer.
  bool abandoned() const ABSL_LOCKS_EXCLUDED(mutex_);
  /// The failure of a scan that was stopped for kTooSlow: LIMIT_EXCEEDED.
  absl::Status WhyTooSlow() const ABSL_LOCKS_EXCLUDED(mutex_);
  /// What the scan said last.
  Progress latest() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  /// What the thread has to do.
  struct Due {
    std::deque<Progress> events;  // to be recorded
    bool renewal = false;
    bool cancellation_check = false;
    bool timed_out = false;     // the scan has taken too long
    bool too_slow = false;      // the scan will take too long
    bool stop_overdue = false;  // it was told to stop long ago
    bool finished = false;      // nothing follows
  };

  void Run();
  Due WaitForDue() ABSL_LOCKS_EXCLUDED(mutex_);
  /// Whether the frames that are still to be measured take longer, by far, than the scan may.
  bool IsTooSlow() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Clock::time_point TimeLimit() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Clock::time_point NextDue() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::deque<Progress> TakePendingEvents() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Renew() ABSL_LOCKS_EXCLUDED(mutex_);
  void CheckCancellation();
  void Abandon() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status EndJobWithoutScan(StopCause cause);
  void HandleStoreError(const absl::Status& status);

  JobStore& jobs_;
  const JobLease lease_;
  const ScanWorkerOptions& options_;
  ServiceMetrics& metrics_;
  const Clock::time_point start_ = Clock::now();
  std::stop_source stop_;

  mutable Mutex mutex_;
  CondVar wake_;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  bool woken_ ABSL_GUARDED_BY(mutex_) = false;
  bool abandoned_ ABSL_GUARDED_BY(mutex_) = false;
  StopCause cause_ ABSL_GUARDED_BY(mutex_) = StopCause::kNone;
  std::optional<Clock::time_point> stop_time_ ABSL_GUARDED_BY(mutex_);
  // To be recorded: the first event of each step, and the latest of the step that runs.
  std::deque<Progress> first_of_steps_ ABSL_GUARDED_BY(mutex_);
  std::optional<Progress> latest_of_step_ ABSL_GUARDED_BY(mutex_);
  Progress latest_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point step_start_ ABSL_GUARDED_BY(mutex_) = start_;
  Clock::time_point limit_start_ ABSL_GUARDED_BY(mutex_) = start_;
  Clock::time_point next_renewal_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point next_event_ ABSL_GUARDED_BY(mutex_) = start_;
  std::thread thread_;
};

}  // namespace glint
