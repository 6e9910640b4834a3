// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "glint/progress.h"
#include "jobs/job_store.h"
#include "workers/scan_worker_pool.h"

namespace glint {

/// Why a scan was told to stop before its end.
enum class StopCause {
  kNone,
  kCancelled,  ///< the caller asked
  kTimedOut,   ///< it took longer than a scan may
  kLeaseLost,  ///< the job is not ours any more
  kDraining,   ///< the worker shuts down
};

/// Holds on to a job while a scan runs: on a thread of its own, so that neither a slow step nor a
/// slow job store stops the other, it renews the lease, records progress, sees cancellations
/// and the scan's time limit, and gives the job up when the scan does not stop.
class LeaseKeeper final : public ProgressSink {
 public:
  using Clock = std::chrono::steady_clock;

  /// All arguments but the lease must outlive this.
  LeaseKeeper(JobStore& jobs, JobLease lease, const ScanWorkerOptions& options,
              ServiceMetrics& metrics);
  ~LeaseKeeper() override { Finish(); }

  /// Called by the scan; does not wait for the job store.
  void OnProgress(const Progress& progress) override;

  /// The job was changed by somebody: looks soon whether it was cancelled.
  void Wake();
  /// Tells the scan to stop. The first cause stays.
  void Stop(StopCause cause);
  /// The scan has ended: records what is left to record and ends the thread.
  void Finish();

  /// Renews the lease before something that cannot be taken back; waits while the job store is
  /// unavailable, at most for one lease time. Errors: CLAIM_LOST, CANCELLED, JOB_STORE_UNAVAILABLE
  absl::Status Confirm();

  const JobLease& lease() const { return lease_; }
  std::stop_token stop_token() const { return stop_.get_token(); }
  StopCause cause() const;
  /// Whether the job was ended without waiting for the scan any longer.
  bool abandoned() const;
  /// What the scan said last.
  Progress latest() const;

 private:
  void Run();
  Clock::time_point NextTask() const;
  void RecordPending(std::unique_lock<std::mutex>& lock);
  void Prolong();
  void LookForCancellation();
  void Abandon(StopCause cause);
  void Note(const absl::Status& status);

  JobStore& jobs_;
  const JobLease lease_;
  const ScanWorkerOptions& options_;
  ServiceMetrics& metrics_;
  const Clock::time_point start_ = Clock::now();
  std::stop_source stop_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;
  bool woken_ = false;
  bool abandoned_ = false;
  StopCause cause_ = StopCause::kNone;
  std::optional<Clock::time_point> stop_time_;
  std::deque<Progress> steps_;      // to be recorded, each the first of its step
  std::optional<Progress> within_;  // to be recorded, the latest of its step
  Progress latest_;
  Clock::time_point step_start_ = start_;
  Clock::time_point next_heartbeat_;
  Clock::time_point next_event_ = start_;
  std::thread thread_;
};

}  // namespace glint
