// SPDX-License-Identifier: Apache-2.0
// The durable queue in front of the scans: what was accepted, who works on it, how it ended.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glint/progress.h"
#include "jobs/failure_reason.h"

namespace glint {

/// Wall-clock time as jobs are stored with: UTC, microseconds.
using JobTime = std::chrono::sys_time<std::chrono::microseconds>;

enum class JobState { kQueued, kRunning, kSucceeded, kFailed, kCancelled };

/// "queued", "running", "succeeded", "failed", "cancelled": as stored.
std::string_view Name(JobState state);
/// The state of that name; nothing when there is none.
std::optional<JobState> JobStateNamed(std::string_view name);
/// Whether a job stays in this state for good.
bool IsFinal(JobState state);

/// How far a job is, as its events carry it.
struct JobProgress {
  ScanStep step = ScanStep::kQueued;
  double fraction = 0;
  std::int64_t frames = 0, frames_of = 0;
  std::int64_t bytes = 0, bytes_of = 0;
  bool operator==(const JobProgress&) const = default;
};

/// Why a job failed or was cancelled.
struct JobFailure {
  FailureReason reason = Reason::kInternal;
  std::string message;  ///< redacted
};

/// That a job's result is finished and waits for the place where results go.
struct JobDelivery {
  int attempt = 0;      ///< to store it that failed so far
  std::string because;  ///< how the latest one failed; redacted
  bool operator==(const JobDelivery&) const = default;
};

/// What an owner's scans may use at most; 0: as much as there is.
struct OwnerQuotas {
  std::int64_t queued = 0;          ///< scans that wait
  std::int64_t running = 0;         ///< scans that run
  std::int64_t frames_per_day = 0;  ///< frames read by its scans that end on one day, UTC
  bool operator==(const OwnerQuotas&) const = default;
};

/// What a caller asks for. The store does not look into `request`.
struct NewJob {
  std::string scan_id;      ///< see JobId
  std::string request;      ///< the request in canonical bytes: equal bytes = the same request
  std::string shown_url;    ///< the input without user info and query string
  std::string owner = {};   ///< whose it is; empty: nobody's in particular
  std::string tier = {};    ///< which workers serve it, and when; empty: the tier without a name
  std::string batch = {};   ///< what it is a part of, among its owner's; may be empty
  OwnerQuotas quotas = {};  ///< of the owner
  std::string trace = {};   ///< W3C trace context that it is a part of (traceparent); may be empty
};

/// What a scan is called in the store: its owner's id for it, behind "@OWNER/" where it has an
/// owner. So each owner has ids of its own, and none is another's ('@' and '/' are in no id).
std::string JobId(std::string_view owner, std::string_view id);
/// The id without the owner.
std::string_view IdOf(std::string_view job_id);

/// A job as it stands.
struct Job {
  std::string scan_id;  ///< see JobId
  std::string request;
  std::string shown_url;
  std::string owner, tier, batch;  ///< see NewJob
  JobState state = JobState::kQueued;
  JobProgress progress;
  std::optional<JobFailure> failure;
  std::optional<JobDelivery> delivery;  ///< nothing unless the finished result waits
  std::string result;                   ///< opaque bytes of Complete(); empty until succeeded
  JobTime created;
  std::optional<JobTime> started;  ///< of the latest attempt
  std::optional<JobTime> ended;
  int attempts = 0;                ///< claims so far, those that were given back left out
  std::int64_t running_quota = 0;  ///< see OwnerQuotas::running; as it was submitted
  std::string device;   ///< kind of device of the worker that claimed it last; empty: nobody said
  std::string placing;  ///< why it runs on another device than its tier's; empty unless so
  std::string trace;    ///< see NewJob
  bool cancel_requested = false;
  std::int64_t last_seq = 0;
  /// Jobs of its owner that are queued before this one in its tier; 0 unless queued. In a shared
  /// queue an estimate from 1,000 on.
  std::int64_t queue_position = 0;
};

/// Something that happened to a job.
struct JobEvent {
  std::int64_t seq = 0;  ///< 1, 2, ... within a job
  JobTime time;
  JobState state = JobState::kQueued;
  JobProgress progress;
};

/// The right to work on a job for some time. `fence`, the fencing token, grows with every lease of
/// the job, so that a worker whose lease has ended cannot overwrite its successor.
struct JobLease {
  std::string scan_id;
  std::int64_t fence = 0;
  bool attempts_exhausted = false;  ///< see JobStore::Claimed
  std::string trace = {};           ///< see NewJob
};

/// Which jobs a worker takes, and in which order.
struct ClaimOrder {
  /// Stands for all tiers that are not named.
  static constexpr std::string_view kOthers = "*";
  struct Tier {
    std::string name;
    /// Nothing of it is taken whose first job waits for less than this.
    std::chrono::milliseconds waited{0};
    std::string placing = {};  ///< said of jobs that are claimed by this entry; see Job::placing
  };
  std::vector<Tier> tiers = {{.name = std::string(kOthers)}};  ///< the preferred one first
  std::vector<std::string> not_others = {};  ///< what kOthers does not stand for, besides `tiers`
  std::string device = {};                   ///< see Job::device
};

/// A worker as its queue knows it.
struct RegisteredWorker {
  std::string name;  ///< as in its claims
  std::string version;
  std::vector<std::string> devices;  ///< kinds: "cpu", "cuda"
  std::vector<std::string> tiers;    ///< that it serves, the preferred one first; "*": all others
  int lanes = 0;                     ///< scans that may run in it at once
  int running = 0;
  JobTime started = {};
  bool gone = false;                        ///< it has said that it ends
  JobTime seen = {};                        ///< when it was heard of last; set by the store
  std::chrono::milliseconds unseen_for{0};  ///< since then, by the store's clock; set by the store
};

/// Which jobs a list shows.
struct JobFilter {
  std::optional<std::string> owner = {};  ///< nothing: of everybody
  std::optional<JobState> state = {};
  std::string batch = {};  ///< empty: of all batches, and of none
};

struct JobCounts {
  std::int64_t queued = 0, running = 0, succeeded = 0, failed = 0, cancelled = 0;
};

/// What waits in a tier.
struct TierQueue {
  std::string tier;
  std::int64_t queued = 0;
  std::chrono::microseconds oldest{0};  ///< age of the job that was submitted first
  /// Time of one scan worker that they will take, by the latest jobs that ended; 0: none has.
  std::chrono::microseconds work{0};
};

/// A batch: the jobs of one owner that carry its name.
struct BatchName {
  std::string owner;
  std::string batch;
};

/// What a batch's jobs have taken in one tier on one kind of device.
struct BatchShare {
  std::string tier;
  std::string device;  ///< empty: no worker had them
  JobCounts counts = {};
  std::chrono::microseconds time{0};  ///< of latest attempts that ended, without their downloads
};

/// Jobs of a batch that failed for one reason.
struct BatchFailures {
  struct Example {
    std::string scan_id;
    std::string message;
  };
  FailureReason reason = Reason::kInternal;
  std::int64_t jobs = 0;
  std::vector<Example> examples = {};  ///< the oldest
};

/// A batch as it stands.
struct BatchState {
  static constexpr std::chrono::minutes kRecently{5};

  JobCounts counts = {};
  std::vector<BatchShare> shares = {};       ///< by tier and device
  std::vector<BatchFailures> failures = {};  ///< the most frequent first
  std::int64_t recently = 0;  ///< jobs that succeeded or failed within kRecently before `now`
  JobTime now = {};
  std::optional<JobTime> created = {};  ///< of the first job; nothing: no job is known
  std::optional<JobTime> started = {};  ///< the first of the latest attempts
  std::optional<JobTime> ended = {};    ///< the last of the jobs that have ended
};

/// What is kept, and how hard a job is tried.
struct JobLimits {
  std::int64_t queue_capacity = 1000;  ///< queued jobs at most
  int max_attempts = 3;  ///< a job whose worker died this often fails with WORKER_DIED
  std::chrono::seconds keep_ended{7 * 24 * 3600};  ///< ended jobs older than this are deleted
  std::int64_t keep_ended_count = 100'000;         ///< and those beyond this many
  /// Who must be told how each job ended: a notice for each is kept with the end, until it is sent.
  std::vector<std::string> notify = {};
};

/// Which changes of jobs somebody wants to hear of. A store may tell more than that.
enum class JobChanges {
  kAll,
  kOwn,        ///< those that this store object has written, not those by other processes
  kClaimable,  ///< jobs that wait: new ones, and those that were given back
};

/// Ends a subscription when dropped; after its destructor returns, the callback runs no more.
class JobSubscription {
 public:
  virtual ~JobSubscription() = default;
};

/// Durable jobs. Every call that returns OK has reached the disk. Safe to use from several threads;
/// implementations may be shared by several workers (leases and fences make that safe).
/// Errors of every call: JOB_STORE_UNAVAILABLE when the store cannot be reached or is locked for
/// longer than it waits; DISK_FULL.
class JobStore {
 public:
  virtual ~JobStore() = default;

  struct Submitted {
    Job job;
    bool created = false;  ///< false: it existed already with the same request, and stays
  };
  /// Queues a job; again, at the end of the queue and with the events so far forgotten, one that
  /// failed for a reason that may pass (ReasonInfo::retryable). Sequence numbers go on.
  /// Errors: SCAN_CONFLICT when the id exists with another request; QUEUE_FULL; QUOTA_EXCEEDED
  virtual absl::StatusOr<Submitted> Submit(const NewJob& job) = 0;

  struct SubmittedOne {
    bool created = false;  ///< see Submitted
    std::string batch;     ///< that the job is in
  };
  /// Submits many jobs of one owner, in one transaction. @return for each what Submit says; so one
  /// that is refused does not stop the others. What all of them would meet is the call's status.
  virtual absl::StatusOr<std::vector<absl::StatusOr<SubmittedOne>>> SubmitAll(
      std::span<const NewJob> jobs) = 0;

  /// Cancels many jobs as Cancel does, in one transaction; those that are gone are left out.
  /// @return how many of them have ended by it
  virtual absl::StatusOr<int> CancelAll(std::span<const std::string> scan_ids) = 0;

  /// Counts a batch. One without jobs has counts of 0.
  /// @param examples  of each reason, at most; 0: and no times either, which take longer to sum up
  virtual absl::StatusOr<BatchState> Batch(const BatchName& batch, int examples) = 0;

  struct BatchPage {
    std::vector<std::string> scan_ids;  ///< oldest first
    std::int64_t next = 0;              ///< for the next page
  };
  /// Jobs of a batch in a state.
  /// @param reason  of jobs that failed; empty: any
  /// @param after   0, or `next` of the page before
  virtual absl::StatusOr<BatchPage> JobsOfBatch(const BatchName& batch, JobState state,
                                                std::string_view reason, std::int64_t after,
                                                int limit) = 0;

  /// Errors: SCAN_NOT_FOUND
  virtual absl::StatusOr<Job> Get(std::string_view scan_id) = 0;

  struct Page {
    std::vector<Job> jobs;   ///< newest first; without `result`
    std::string next_token;  ///< empty on the last page
  };
  /// @param token  of an earlier page, or empty
  /// @param size   1..1000
  /// Errors: INVALID_OPTION for a token that is none
  virtual absl::StatusOr<Page> List(std::string_view token, int size, const JobFilter& filter) = 0;

  /// Events after `after_seq`, oldest first, at most `limit`. Errors: SCAN_NOT_FOUND
  virtual absl::StatusOr<std::vector<JobEvent>> Events(std::string_view scan_id,
                                                       std::int64_t after_seq, int limit) = 0;

  /// Cancels a queued job at once; marks a running one, whose worker learns it by Heartbeat or
  /// Subscribe. An ended job stays as it is. Errors: SCAN_NOT_FOUND
  virtual absl::StatusOr<Job> Cancel(std::string_view scan_id) = 0;

  struct Claimed {
    Job job;
    JobLease lease;
    /// Set when the job's lease has ended `max_attempts` times: it must not be tried again. The
    /// last worker may have died just after it had published the result, so the claimant looks for
    /// one, and ends the job with this failure (WORKER_DIED) where there is none.
    std::optional<JobFailure> attempts_exhausted;
  };
  /// Takes a job whose lease has ended, or else the one whose turn it is, of the first tier of the
  /// order that has one; nothing when there is none. Inside a tier owners take turns, and each
  /// owner's jobs come in the order of their arrival, no more of them at once than may run. The
  /// claim of a job whose attempts are exhausted does not count as one, nor that of a job whose
  /// worker died while it downloaded or waited after that: another job was the cause.
  /// @param worker  names the claimant in the store, for people
  virtual absl::StatusOr<std::optional<Claimed>> Claim(std::string_view worker,
                                                       std::chrono::milliseconds lease_time,
                                                       const ClaimOrder& order) = 0;
  /// Of any tier.
  absl::StatusOr<std::optional<Claimed>> Claim(std::string_view worker,
                                               std::chrono::milliseconds lease_time) {
    return Claim(worker, lease_time, ClaimOrder());
  }

  /// Ends the leases that are held in this worker's name, so that their jobs can be claimed now
  /// instead of when the leases end by themselves; each counts as a death. For a worker that has
  /// just started and knows that nobody else works in its name (see jobs/worker_slot.h).
  /// @return how many there were
  virtual absl::StatusOr<std::int64_t> ExpireLeasesOf(std::string_view worker) = 0;

  /// Renews a lease. True when the job's cancellation was asked for. Errors: CLAIM_LOST
  virtual absl::StatusOr<bool> Heartbeat(const JobLease& lease,
                                         std::chrono::milliseconds lease_time) = 0;

  /// Appends an event. Errors: CLAIM_LOST
  virtual absl::Status Record(const JobLease& lease, const JobProgress& progress) = 0;

  /// The job's finished result could not be stored, and waits; an event. It stays said until the
  /// job ends, though it be given back and claimed again. Errors: CLAIM_LOST
  virtual absl::Status RecordDelivery(const JobLease& lease, const JobDelivery& delivery) = 0;

  /// Ends the job with success. Errors: CLAIM_LOST
  virtual absl::Status Complete(const JobLease& lease, std::string_view result) = 0;

  /// Ends the job with a failure, or as cancelled when the reason is CANCELLED. Errors: CLAIM_LOST
  virtual absl::Status Fail(const JobLease& lease, const JobFailure& failure) = 0;

  /// Gives the job back to the head of the queue without counting the attempt (a worker that
  /// drains). One whose attempts are exhausted is so for the next claim, too. Errors: CLAIM_LOST
  virtual absl::Status Release(const JobLease& lease) = 0;

  /// That a job has ended, and somebody has not been told.
  struct Notice {
    std::string scan_id;
    int attempts = 0;  ///< to tell, this one included
  };
  /// Takes the notice for a target that is due longest; nothing when there is none. It is due again
  /// after `hold`, unless it is ended or delayed: whoever took it may die.
  virtual absl::StatusOr<std::optional<Notice>> TakeNotice(std::string_view target,
                                                           std::chrono::milliseconds hold) = 0;
  /// The target was told, or never will be.
  virtual absl::Status EndNotice(std::string_view scan_id, std::string_view target) = 0;
  virtual absl::Status DelayNotice(std::string_view scan_id, std::string_view target,
                                   std::chrono::milliseconds delay) = 0;

  virtual absl::StatusOr<JobCounts> Counts() = 0;
  /// The tiers in which something waits.
  virtual absl::StatusOr<std::vector<TierQueue>> Tiers() = 0;
  /// The same as of some seconds ago at most, for those who look all the time: where many workers
  /// share the jobs, one of them counts for all.
  virtual absl::StatusOr<std::vector<TierQueue>> RecentTiers() { return Tiers(); }

  /// Says that a worker is there, and what it is; again every now and then.
  virtual absl::Status Register(const RegisteredWorker& worker) = 0;
  /// The workers that were heard of within the last day, by name.
  virtual absl::StatusOr<std::vector<RegisteredWorker>> Workers() = 0;

  /// Deletes ended jobs by the limits; returns how many.
  virtual absl::StatusOr<std::int64_t> Sweep() = 0;

  /// Calls `changed` soon after each change of any job, from a thread of the store; several changes
  /// of a job may become one call. It must not block, call the store or end a subscription.
  /// Changes by other processes arrive, too.
  virtual std::unique_ptr<JobSubscription> Subscribe(
      std::function<void(const std::string& scan_id)> changed,
      JobChanges which = JobChanges::kAll) = 0;
};

}  // namespace glint
