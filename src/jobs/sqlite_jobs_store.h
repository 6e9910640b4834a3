// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/change_feed.h"
#include "jobs/job_store.h"
#include "jobs/sqlite_connection.h"
#include "jobs/sqlite_jobs.h"

namespace glint {

/// JobStore over one SQLite file. Writers take turns on one connection and wait for the disk;
/// readers use another, so that they wait for neither.
class SqliteJobs final : public JobStore {
 public:
  /// @param boot  which start of the machine leases count from; others' have ended
  SqliteJobs(std::filesystem::path file, const JobLimits& limits, const SqliteJobsOptions& options,
             std::string boot, std::unique_ptr<SqliteConnection> writer,
             std::unique_ptr<SqliteConnection> reader,
             std::unique_ptr<SqliteConnection> feed_reader);

  absl::StatusOr<Submitted> Submit(const NewJob& job) override;
  absl::StatusOr<Job> Get(std::string_view scan_id) override;
  absl::StatusOr<Page> List(std::string_view token, int size,
                            std::optional<JobState> state) override;
  absl::StatusOr<std::vector<JobEvent>> Events(std::string_view scan_id, std::int64_t after_seq,
                                               int limit) override;
  absl::StatusOr<Job> Cancel(std::string_view scan_id) override;
  absl::StatusOr<std::optional<Claimed>> Claim(std::string_view worker,
                                               std::chrono::milliseconds lease_time) override;
  absl::StatusOr<std::int64_t> ExpireLeasesOf(std::string_view worker) override;
  absl::StatusOr<bool> Heartbeat(const JobLease& lease,
                                 std::chrono::milliseconds lease_time) override;
  absl::Status Record(const JobLease& lease, const JobProgress& progress) override;
  absl::Status RecordDelivery(const JobLease& lease, const JobDelivery& delivery) override;
  absl::Status Complete(const JobLease& lease, std::string_view result) override;
  absl::Status Fail(const JobLease& lease, const JobFailure& failure) override;
  absl::Status Release(const JobLease& lease) override;
  absl::StatusOr<std::optional<Notice>> TakeNotice(std::string_view target,
                                                   std::chrono::milliseconds hold) override;
  absl::Status EndNotice(std::string_view scan_id, std::string_view target) override;
  absl::Status DelayNotice(std::string_view scan_id, std::string_view target,
                           std::chrono::milliseconds delay) override;
  absl::StatusOr<JobCounts> Counts() override;
  absl::StatusOr<std::int64_t> Sweep() override;
  std::unique_ptr<JobSubscription> Subscribe(
      std::function<void(const std::string&)> changed) override;

 private:
  template <class Work>
  auto Use(SharedConnection& shared, Work work)
      -> absl::StatusOr<decltype(work(std::declval<SqliteConnection&>()))>;
  template <class Work>
  auto Read(Work work) -> absl::StatusOr<decltype(work(std::declval<SqliteConnection&>()))>;
  template <class Work>
  auto Write(Work work) -> absl::StatusOr<decltype(work(std::declval<SqliteConnection&>()))>;
  template <class Work>
  absl::Status WriteLeased(const JobLease& lease, Work work);
  std::optional<Submitted> CheckAdmission(SqliteConnection& connection, const NewJob& job) const;
  std::optional<Claimed> ClaimNext(SqliteConnection& connection, std::string_view worker,
                                   std::chrono::milliseconds lease_time);

  const std::filesystem::path file_;
  const JobLimits limits_;
  const std::function<JobTime()> now_;
  const std::function<JobTime()> lease_now_;
  const std::string boot_;
  SharedConnection writer_;
  SharedConnection reader_;
  ChangeFeed feed_;
};

}  // namespace glint
