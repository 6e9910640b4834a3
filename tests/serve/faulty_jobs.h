// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "jobs/job_store.h"

namespace glint {

/// A job store whose calls by clients can be made to fail, or to take long.
class FaultyJobs final : public JobStore {
 public:
  explicit FaultyJobs(std::unique_ptr<JobStore> jobs) : jobs_(std::move(jobs)) {}

  /// Called before each call; what it returns, when not OK, is the call's failure. Null: none.
  void SetFault(std::function<absl::Status()> fault) {
    const std::scoped_lock lock(mutex_);
    fault_ = std::move(fault);
  }

  /// Called once, when the next read of events is over and before its caller has them: what happens
  /// in it comes between that read and the caller's next one.
  void SetAfterEvents(std::function<void()> happens) {
    const std::scoped_lock lock(mutex_);
    after_events_ = std::move(happens);
  }

  absl::StatusOr<Submitted> Submit(const NewJob& job) override {
    return Unless(&JobStore::Submit, job);
  }
  absl::StatusOr<Job> Get(std::string_view scan_id) override {
    return Unless(&JobStore::Get, scan_id);
  }
  absl::StatusOr<Page> List(std::string_view token, int size, const JobFilter& filter) override {
    return Unless(&JobStore::List, token, size, filter);
  }
  absl::StatusOr<std::vector<JobEvent>> Events(std::string_view scan_id, std::int64_t after_seq,
                                               int limit) override {
    auto events = Unless(&JobStore::Events, scan_id, after_seq, limit);
    std::function<void()> happens;
    {
      const std::scoped_lock lock(mutex_);
      happens = std::exchange(after_events_, nullptr);
    }
    if (happens) happens();
    return events;
  }
  absl::StatusOr<Job> Cancel(std::string_view scan_id) override {
    return Unless(&JobStore::Cancel, scan_id);
  }
  absl::StatusOr<int> CancelAll(std::span<const std::string> scan_ids) override {
    return Unless(&JobStore::CancelAll, scan_ids);
  }
  absl::StatusOr<std::vector<absl::StatusOr<SubmittedOne>>> SubmitAll(
      std::span<const NewJob> jobs) override {
    return Unless(&JobStore::SubmitAll, jobs);
  }
  absl::StatusOr<JobCounts> Counts() override { return Unless(&JobStore::Counts); }
  absl::StatusOr<BatchState> Batch(const BatchName& batch, int examples) override {
    return Unless(&JobStore::Batch, batch, examples);
  }
  absl::StatusOr<BatchPage> JobsOfBatch(const BatchName& batch, JobState state,
                                        std::string_view reason, std::int64_t after,
                                        int limit) override {
    return Unless(&JobStore::JobsOfBatch, batch, state, reason, after, limit);
  }
  absl::StatusOr<std::vector<TierQueue>> Tiers() override { return Unless(&JobStore::Tiers); }

  // What workers call.
  absl::StatusOr<std::optional<Notice>> TakeNotice(std::string_view target,
                                                   std::chrono::milliseconds hold) override {
    return jobs_->TakeNotice(target, hold);
  }
  absl::Status EndNotice(std::string_view scan_id, std::string_view target) override {
    return jobs_->EndNotice(scan_id, target);
  }
  absl::Status DelayNotice(std::string_view scan_id, std::string_view target,
                           std::chrono::milliseconds delay) override {
    return jobs_->DelayNotice(scan_id, target, delay);
  }
  using JobStore::Claim;
  absl::StatusOr<std::optional<Claimed>> Claim(std::string_view worker,
                                               std::chrono::milliseconds lease_time,
                                               const ClaimOrder& order) override {
    return jobs_->Claim(worker, lease_time, order);
  }
  absl::Status Register(const RegisteredWorker& worker) override { return jobs_->Register(worker); }
  absl::StatusOr<std::vector<RegisteredWorker>> Workers() override {
    return Unless(&JobStore::Workers);
  }
  absl::StatusOr<std::int64_t> ExpireLeasesOf(std::string_view worker) override {
    return jobs_->ExpireLeasesOf(worker);
  }
  absl::StatusOr<bool> Heartbeat(const JobLease& lease,
                                 std::chrono::milliseconds lease_time) override {
    return jobs_->Heartbeat(lease, lease_time);
  }
  absl::Status Record(const JobLease& lease, const JobProgress& progress) override {
    return jobs_->Record(lease, progress);
  }
  absl::Status RecordDelivery(const JobLease& lease, const JobDelivery& delivery) override {
    return jobs_->RecordDelivery(lease, delivery);
  }
  absl::Status Complete(const JobLease& lease, std::string_view result) override {
    return jobs_->Complete(lease, result);
  }
  absl::Status Fail(const JobLease& lease, const JobFailure& failure) override {
    return jobs_->Fail(lease, failure);
  }
  absl::Status Release(const JobLease& lease) override { return jobs_->Release(lease); }
  absl::StatusOr<std::int64_t> Sweep() override { return jobs_->Sweep(); }
  std::unique_ptr<JobSubscription> Subscribe(std::function<void(const std::string&)> changed,
                                             JobChanges which) override {
    return jobs_->Subscribe(std::move(changed), which);
  }

 private:
  /// What the call gives, unless there is a fault.
  template <class Given, class... Taken>
  Given Unless(Given (JobStore::*call)(Taken...), const std::type_identity_t<Taken>&... arguments) {
    std::function<absl::Status()> fault;
    {
      const std::scoped_lock lock(mutex_);
      fault = fault_;
    }
    if (fault) {
      if (absl::Status failed = fault(); !failed.ok()) return failed;
    }
    return (jobs_.get()->*call)(arguments...);
  }

  const std::unique_ptr<JobStore> jobs_;
  std::mutex mutex_;
  std::function<absl::Status()> fault_;
  std::function<void()> after_events_;
};

}  // namespace glint
