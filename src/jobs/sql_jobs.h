// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status_macros.h"
#include "jobs/job_rows.h"
#include "jobs/job_store.h"
#include "jobs/sql_connection.h"

namespace glint {

/// What a JobStore promises, over the tables of jobs (sqlite_schema.h, postgres_schema.h). What the
/// engines do in ways of their own is left to the classes that derive from it: connections and
/// transactions, clocks, and which leases have ended.
class SqlJobs : public JobStore {
 public:
  absl::StatusOr<Submitted> Submit(const NewJob& job) override;
  absl::StatusOr<std::vector<absl::StatusOr<SubmittedOne>>> SubmitAll(
      std::span<const NewJob> jobs) override;
  absl::StatusOr<Job> Get(std::string_view scan_id) override;
  absl::StatusOr<Page> List(std::string_view token, int size, const JobFilter& filter) override;
  absl::StatusOr<std::vector<JobEvent>> Events(std::string_view scan_id, std::int64_t after_seq,
                                               int limit) override;
  absl::StatusOr<Job> Cancel(std::string_view scan_id) override;
  absl::StatusOr<int> CancelAll(std::span<const std::string> scan_ids) override;
  using JobStore::Claim;
  absl::StatusOr<std::optional<Claimed>> Claim(std::string_view worker,
                                               std::chrono::milliseconds lease_time,
                                               const ClaimOrder& order) override;
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
  absl::Status Register(const RegisteredWorker& worker) override;
  absl::StatusOr<std::vector<RegisteredWorker>> Workers() override;
  absl::StatusOr<BatchState> Batch(const BatchName& batch, int examples) override;
  absl::StatusOr<BatchPage> JobsOfBatch(const BatchName& batch, JobState state,
                                        std::string_view reason, std::int64_t after,
                                        int limit) override;
  absl::StatusOr<std::vector<TierQueue>> Tiers() override;
  absl::StatusOr<std::int64_t> Sweep() override;

 protected:
  using Work = std::function<void(SqlConnection&)>;

  explicit SqlJobs(JobLimits limits) : limits_(std::move(limits)) {}

  const JobLimits& limits() const { return limits_; }

 private:
  /// Reads. `purpose` says what for ("listing scans"), where a failure needs it.
  virtual absl::Status RunRead(std::string_view purpose, const Work& work) = 0;
  /// Reads and writes in one transaction. The work may be repeated when others got in between.
  virtual absl::Status RunWrite(std::string_view purpose, const Work& work) = 0;
  /// The clock of what is shown and of ages.
  virtual JobTime Now(SqlConnection& connection) = 0;
  /// The clock of leases.
  virtual JobTime LeaseNow(SqlConnection& connection) = 0;
  /// The oldest job of a tier whose worker let its lease end.
  virtual std::optional<std::string> FindExpired(SqlConnection& connection, std::string_view tier,
                                                 RowLock lock) = 0;
  /// A lease was written to the row, in the same transaction.
  virtual void OnLeased(SqlConnection& connection, std::string_view scan_id) = 0;
  /// How many more may wait, as far as somebody wants to know.
  virtual std::int64_t RoomInQueue(SqlConnection& connection, std::int64_t wanted) = 0;
  /// Whether writers wait for each other, and so what may be is read before.
  virtual bool writers_take_turns() const = 0;
  /// Turns that follow each other for jobs that are about to be submitted in the tier of one of
  /// them, where they are better taken before the transaction than in it: the first; nothing where
  /// not, and for a single job that exists.
  virtual std::optional<std::int64_t> TakeTurnsBefore(SqlConnection& connection, const NewJob& job,
                                                      std::int64_t count) = 0;
  /// Until the transaction ends, nobody else counts this owner's jobs to decide on them.
  virtual void LockOwner(SqlConnection& connection, std::string_view owner) = 0;

  template <class ReadWork>
  auto Read(std::string_view purpose, ReadWork work)
      -> absl::StatusOr<decltype(work(std::declval<SqlConnection&>()))>;
  template <class WriteWork>
  auto Write(std::string_view purpose, WriteWork work)
      -> absl::StatusOr<decltype(work(std::declval<SqlConnection&>()))>;
  template <class WriteWork>
  absl::Status WriteLeased(std::string_view purpose, const JobLease& lease, WriteWork work);

  class Room;
  class Turns;
  absl::StatusOr<Turns> TurnsBefore(std::string_view purpose, std::span<const NewJob> jobs);
  std::vector<absl::StatusOr<SubmittedOne>> SubmitIn(SqlConnection& connection,
                                                     std::span<const NewJob> jobs, Turns& turns);
  absl::StatusOr<std::vector<absl::StatusOr<SubmittedOne>>> SubmitWith(std::string_view purpose,
                                                                       std::span<const NewJob> jobs,
                                                                       const Work& more);
  bool CancelIn(SqlConnection& connection, const Job& job);
  void End(SqlConnection& connection, const Job& job, JobState state,
           const std::optional<JobFailure>& failure, std::string_view result);
  struct Candidate {
    std::string scan_id;
    const ClaimOrder::Tier* tier = nullptr;
  };
  std::pair<std::vector<std::string>, bool> RememberedTiers(SqlConnection& connection)
      ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<std::string> LearnTiers(SqlConnection& connection) ABSL_LOCKS_EXCLUDED(mutex_);
  /// A tier that is none of those remembered makes them be read again.
  void ForgetTiersWithout(std::string_view tier) ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<Candidate> NextToClaim(SqlConnection& connection, const ClaimOrder& order,
                                       RowLock lock);
  std::optional<Candidate> NextOf(SqlConnection& connection, const ClaimOrder& order,
                                  const std::vector<std::string>& tiers, RowLock lock)
      ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<std::string> NextOfTier(SqlConnection& connection, std::string_view tier,
                                        std::chrono::milliseconds waited, RowLock lock);
  std::optional<Claimed> ClaimNext(SqlConnection& connection, std::string_view worker,
                                   std::chrono::milliseconds lease_time, const ClaimOrder& order);

  const JobLimits limits_;
  Mutex mutex_;
  std::string latest_other_ ABSL_GUARDED_BY(mutex_);        // tier of those that take turns
  std::vector<std::string> tiers_ ABSL_GUARDED_BY(mutex_);  // known ones; empty: to be read
  std::chrono::steady_clock::time_point tiers_read_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace glint
