// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "glint/object_store.h"
#include "jobs/job_store.h"
#include "workers/kept_results.h"

namespace glint {

class ServiceMetrics;

/// Stores a finished result under a prefix. Where a complete set with the job's own completion
/// marker lies there already, as after a lost answer to the last write, there is nothing to do.
/// @param fence  of the lease that allows it
/// @param confirm  asked before each step that others see; a failure ends the publication there
/// Errors: those of the store, of `confirm` and of `cancel`
absl::Status Deliver(const KeptResult& kept, const Job& job, ObjectStore& store,
                     std::string_view prefix, std::int64_t fence,
                     const std::function<absl::Status()>& confirm, const CancelToken& cancel);

/// What callers may read of how a job failed, at most so many bytes: no secrets, and of places only
/// what the caller named himself.
std::string ForCallers(const absl::Status& failure, const Job& job, const ObjectStore* store,
                       std::size_t max_bytes);

/// How waiting results are dealt with.
struct DeliveryOptions {
  std::chrono::milliseconds within{3'600'000};  ///< from the end of a scan: then its job fails
  std::int64_t space = std::int64_t{4} << 30;   ///< bytes that wait at most before claiming pauses
  std::chrono::milliseconds first_wait{1'000};  ///< after a failed attempt; doubled with each
  std::chrono::milliseconds longest_wait{30'000};
};

/// How deliveries are.
struct DeliveryStatus {
  std::int64_t waiting = 0;  ///< results
  std::int64_t bytes = 0;    ///< their size
  bool away = false;         ///< whether the latest attempt failed
  bool paused = false;       ///< whether no scan should be begun
  std::string because;       ///< how that attempt failed
};

/// Finished results whose place was away when their scans ended: keeps their jobs' leases, and
/// stores them one after the other, oldest first, with growing waits between attempts that fail.
/// As long as one fails, those of new scans are not even tried (a circuit breaker), and when they
/// fill their space, or one of them is in memory alone, claiming pauses.
class Deliveries {
 public:
  using Clock = std::chrono::steady_clock;

  /// A result that waits.
  struct Waiting {
    Job job;
    JobLease lease;
    ObjectStore* store = nullptr;  ///< must outlive this
    std::string prefix;
    std::shared_ptr<const KeptResult> kept;
    double seconds = 0;       ///< that its scan took
    std::int64_t frames = 0;  ///< that were measured
  };

  /// `jobs` and `metrics` must outlive this.
  Deliveries(JobStore& jobs, DeliveryOptions options, std::chrono::milliseconds lease_time,
             ServiceMetrics& metrics);
  /// Gives what waits back to the queue: kept results are found by who claims their jobs.
  ~Deliveries();

  /// Whether a failure to store a result may pass: then the result waits.
  bool MayPass(const absl::Status& failure) const ABSL_LOCKS_EXCLUDED(mutex_);
  /// Takes a job whose lease nobody else keeps from now on.
  void Add(Waiting waiting, const absl::Status& failure) ABSL_LOCKS_EXCLUDED(mutex_);
  /// The store took a result: it may be tried with those that wait, too.
  void StoreWorked() ABSL_LOCKS_EXCLUDED(mutex_);
  /// The job was changed by somebody: looks soon whether it was cancelled.
  void Wake(const std::string& scan_id) ABSL_LOCKS_EXCLUDED(mutex_);
  /// Ends attempts and gives jobs back; Add does so at once from now on.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);
  DeliveryStatus status() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Item;
  using ItemPtr = std::shared_ptr<Item>;

  void KeepLeases(const std::stop_token& stop);
  void RenewLeases();
  void LookAtCancellations(const std::set<std::string>& scan_ids);
  void StopItem(const ItemPtr& item, std::atomic<bool>& why) ABSL_LOCKS_EXCLUDED(mutex_);
  std::deque<ItemPtr> items() const ABSL_LOCKS_EXCLUDED(mutex_);
  void Run(const std::stop_token& stop);
  Clock::time_point NextLook() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  ItemPtr NextDue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Try(const ItemPtr& item);
  void SetBack(const ItemPtr& item, const absl::Status& failure);
  void Remove(const ItemPtr& item) ABSL_LOCKS_EXCLUDED(mutex_);
  void End(const ItemPtr& item, const absl::Status& ended);
  void Release(const JobLease& lease);
  void Failed(const absl::Status& failure) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Paused() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LogPause() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  JobStore& jobs_;
  const DeliveryOptions options_;
  const std::chrono::milliseconds lease_time_;
  ServiceMetrics& metrics_;

  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<ItemPtr> items_ ABSL_GUARDED_BY(mutex_);  // the next to be tried first
  bool away_ ABSL_GUARDED_BY(mutex_) = false;
  bool worked_ ABSL_GUARDED_BY(mutex_) = false;  // the store has taken something
  bool pause_logged_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::set<std::string> woken_ ABSL_GUARDED_BY(mutex_);  // jobs to look at for cancellations
  int failures_ ABSL_GUARDED_BY(mutex_) = 0;             // in a row
  std::string because_ ABSL_GUARDED_BY(mutex_);
  Clock::time_point next_try_ ABSL_GUARDED_BY(mutex_) = Clock::now();
  std::vector<std::jthread> threads_;
};

}  // namespace glint
