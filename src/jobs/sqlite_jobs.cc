// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "base/status_macros.h"
#include "jobs/job_rows.h"
#include "jobs/sqlite_jobs_store.h"

namespace glint {
namespace {

constexpr int kMaxPage = 1000;
constexpr int kSweepBatch = 500;  // so that others may write in between

[[noreturn]] void Throw(FailureReason reason, std::string_view message) {
  throw StatusException(Error(reason, message));
}

Job RequireJob(SqliteConnection& connection, std::string_view scan_id) {
  std::optional<Job> job = ReadJob(connection, scan_id);
  if (!job) Throw(ServiceReason::kScanNotFound, fmt::format("there is no scan '{}'", scan_id));
  return *std::move(job);
}

/// Whether a submission of the same request makes the job anew.
bool MayRunAgain(const Job& job) {
  return job.state == JobState::kFailed && job.failure && Info(job.failure->reason).retryable;
}

[[noreturn]] void ThrowLeaseLost(const JobLease& lease) {
  Throw(ServiceReason::kClaimLost,
        fmt::format("scan '{}' is not this worker's any more", lease.scan_id));
}

void RequireLease(SqliteConnection& connection, const JobLease& lease) {
  SqliteQuery held(connection,
                   "SELECT COUNT(*) FROM glint_jobs WHERE scan_id = ? AND fence = ? AND state = "
                   "'running'");
  held.Bind(lease.scan_id, lease.fence);
  if (!held.Next() || held.Integer(0) == 0) ThrowLeaseLost(lease);
}

/// The oldest job whose worker let its lease end, or else the oldest that waits.
std::optional<std::string> NextToClaim(SqliteConnection& connection, JobTime lease_now,
                                       const std::string& boot) {
  SqliteQuery expired(connection,
                      "SELECT scan_id FROM glint_jobs WHERE state = 'running' AND (lease_until_us "
                      "<= ? OR lease_boot IS NOT ?) ORDER BY number LIMIT 1");
  expired.Bind(Micros(lease_now), boot);
  if (expired.Next()) return expired.Text(0);
  SqliteQuery waiting(connection,
                      "SELECT scan_id FROM glint_jobs WHERE state = 'queued' ORDER BY number LIMIT "
                      "1");
  if (waiting.Next()) return waiting.Text(0);
  return std::nullopt;
}

JobFailure WorkerDied(const Job& job) {
  return {ServiceReason::kWorkerDied,
          fmt::format("the worker died {} times while it ran this scan, last in the step '{}'; the "
                      "video is likely the cause",
                      job.attempts, Name(job.progress.step))};
}

void ExpireLease(SqliteConnection& connection, const std::string& scan_id) {
  SqliteQuery update(connection, "UPDATE glint_jobs SET lease_until_us = 0 WHERE scan_id = ?");
  update.Bind(scan_id);
  update.Run();
}

/// A token is the number of the last job of the page before.
std::int64_t ReadToken(std::string_view token) {
  if (token.empty()) return std::numeric_limits<std::int64_t>::max();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (error != std::errc() || end != token.data() + token.size() || number <= 0) {
    Throw(Reason::kInvalidOption, "the page token is none that a list of scans gave");
  }
  return number;
}

}  // namespace

SqliteJobs::SqliteJobs(std::filesystem::path file, const JobLimits& limits,
                       const SqliteJobsOptions& options, std::string boot,
                       std::unique_ptr<SqliteConnection> writer,
                       std::unique_ptr<SqliteConnection> reader,
                       std::unique_ptr<SqliteConnection> feed_reader)
    : file_(std::move(file)),
      limits_(limits),
      now_(options.now),
      lease_now_(options.lease_now),
      boot_(std::move(boot)),
      writer_(std::move(writer), options.busy_wait),
      reader_(std::move(reader), options.busy_wait),
      feed_(std::move(feed_reader), options.poll_interval) {}

template <class Work>
auto SqliteJobs::Use(SharedConnection& shared, Work work)
    -> absl::StatusOr<decltype(work(std::declval<SqliteConnection&>()))> {
  try {
    SharedConnection::Lock lock(shared);
    try {
      return work(lock.connection());
    } catch (...) {
      return StatusOfException(file_, &lock.connection());
    }
  } catch (...) {
    return StatusOfException(file_, nullptr);
  }
}

template <class Work>
auto SqliteJobs::Read(Work work)
    -> absl::StatusOr<decltype(work(std::declval<SqliteConnection&>()))> {
  return Use(reader_, std::move(work));
}

template <class Work>
auto SqliteJobs::Write(Work work)
    -> absl::StatusOr<decltype(work(std::declval<SqliteConnection&>()))> {
  return Use(writer_, [&](SqliteConnection& connection) {
    SqliteWrite write(connection);
    auto result = work(connection);
    write.Commit();
    feed_.Wake();
    return result;
  });
}

template <class Work>
absl::Status SqliteJobs::WriteLeased(const JobLease& lease, Work work) {
  return Write([&](SqliteConnection& connection) {
           RequireLease(connection, lease);
           work(connection);
           return true;
         })
      .status();
}

/// The answer to a submission that changes nothing: the job that exists, or why it may not come in.
std::optional<JobStore::Submitted> SqliteJobs::CheckAdmission(SqliteConnection& connection,
                                                              const NewJob& job) const {
  if (std::optional<Job> known = ReadJob(connection, job.scan_id)) {
    if (known->request != job.request) {
      Throw(ServiceReason::kScanConflict,
            fmt::format("scan '{}' exists with another request; choose another scan_id",
                        job.scan_id));
    }
    if (!MayRunAgain(*known)) return Submitted{*std::move(known), false};
  }
  if (CountQueued(connection) >= limits_.queue_capacity) {
    Throw(ServiceReason::kQueueFull,
          fmt::format("{} scans wait already; try again later", limits_.queue_capacity));
  }
  return std::nullopt;
}

absl::StatusOr<JobStore::Submitted> SqliteJobs::Submit(const NewJob& job) {
  // Most submissions to a full queue end here, without the write lock and the disk.
  GLINT_ASSIGN_OR_RETURN(auto known, Read([&](SqliteConnection& connection) {
                           return CheckAdmission(connection, job);
                         }));
  if (known) return *std::move(known);
  return Write([&](SqliteConnection& connection) {
    if (auto existing = CheckAdmission(connection, job)) return *std::move(existing);
    if (ReadJob(connection, job.scan_id)) {
      RequeueJob(connection, job.scan_id, now_());
    } else {
      InsertJob(connection, job, now_());
    }
    return Submitted{RequireJob(connection, job.scan_id), true};
  });
}

absl::StatusOr<Job> SqliteJobs::Get(std::string_view scan_id) {
  return Read([&](SqliteConnection& connection) { return RequireJob(connection, scan_id); });
}

absl::StatusOr<JobStore::Page> SqliteJobs::List(std::string_view token, int size,
                                                std::optional<JobState> state) {
  return Read([&](SqliteConnection& connection) {
    if (size < 1 || size > kMaxPage) {
      Throw(Reason::kInvalidOption,
            fmt::format("a page has 1 to {} scans, not {}", kMaxPage, size));
    }
    auto numbered = ReadJobsBelow(connection, ReadToken(token), size + 1, state);
    Page page;
    if (std::ssize(numbered) > size) {
      numbered.pop_back();
      page.next_token = std::to_string(numbered.back().first);
    }
    for (auto& [number, job] : numbered) page.jobs.push_back(std::move(job));
    return page;
  });
}

absl::StatusOr<std::vector<JobEvent>> SqliteJobs::Events(std::string_view scan_id,
                                                         std::int64_t after_seq, int limit) {
  return Read([&](SqliteConnection& connection) {
    std::vector<JobEvent> events = ReadEvents(connection, scan_id, after_seq, limit);
    if (events.empty()) RequireJob(connection, scan_id);
    return events;
  });
}

absl::StatusOr<Job> SqliteJobs::Cancel(std::string_view scan_id) {
  return Write([&](SqliteConnection& connection) {
    const Job job = RequireJob(connection, scan_id);
    if (job.state == JobState::kQueued) {
      EndJob(connection, scan_id, JobState::kCancelled, now_(), limits_.notify,
             JobFailure{Reason::kCancelled, "cancelled while it waited"}, "");
    } else if (job.state == JobState::kRunning && !job.cancel_requested) {
      MarkCancelled(connection, scan_id);
    }
    return RequireJob(connection, scan_id);
  });
}

absl::StatusOr<std::optional<JobStore::Claimed>> SqliteJobs::Claim(
    std::string_view worker, std::chrono::milliseconds lease_time) {
  // Idle workers ask often, and must not take turns with those who write.
  GLINT_ASSIGN_OR_RETURN(const auto next, Read([&](SqliteConnection& connection) {
                           return NextToClaim(connection, lease_now_(), boot_);
                         }));
  if (!next) return std::nullopt;
  return Write(
      [&](SqliteConnection& connection) { return ClaimNext(connection, worker, lease_time); });
}

std::optional<JobStore::Claimed> SqliteJobs::ClaimNext(SqliteConnection& connection,
                                                       std::string_view worker,
                                                       std::chrono::milliseconds lease_time) {
  const JobTime now = now_();
  while (const auto scan_id = NextToClaim(connection, lease_now_(), boot_)) {
    const Job job = RequireJob(connection, *scan_id);
    const bool worker_died = job.state == JobState::kRunning;
    if (worker_died && job.cancel_requested) {
      EndJob(connection, *scan_id, JobState::kCancelled, now, limits_.notify,
             JobFailure{Reason::kCancelled, "cancelled; its worker had died"}, "");
      continue;
    }
    // A download, or waiting after it, kills no worker: that was another scan.
    const bool blameless = worker_died && job.progress.step == ScanStep::kDownloading;
    const bool attempts_exhausted =
        worker_died && !blameless && job.attempts >= limits_.max_attempts;
    const JobProgress progress = attempts_exhausted ? job.progress : JobProgress();
    const std::int64_t fence =
        AppendEvent(connection, *scan_id, {JobState::kRunning, progress}, now);
    SqliteQuery update(
        connection,
        "UPDATE glint_jobs SET fence = ?, lease_until_us = ?, lease_boot = ?, worker = ?, "
        "started_us = ?, attempts = ? WHERE scan_id = ?");
    update.Bind(fence, Micros(lease_now_() + lease_time), boot_, worker,
                Micros(attempts_exhausted ? job.started.value_or(now) : now),
                job.attempts + (attempts_exhausted || blameless ? 0 : 1), *scan_id);
    update.Run();
    return Claimed{RequireJob(connection, *scan_id),
                   {*scan_id, fence, attempts_exhausted},
                   attempts_exhausted ? std::optional(WorkerDied(job)) : std::nullopt};
  }
  return std::nullopt;
}

absl::StatusOr<std::int64_t> SqliteJobs::ExpireLeasesOf(std::string_view worker) {
  return Write([&](SqliteConnection& connection) {
    SqliteQuery update(connection,
                       "UPDATE glint_jobs SET lease_until_us = 0 WHERE state = 'running' AND "
                       "worker = ?");
    update.Bind(worker);
    return static_cast<std::int64_t>(update.Run());
  });
}

absl::StatusOr<bool> SqliteJobs::Heartbeat(const JobLease& lease,
                                           std::chrono::milliseconds lease_time) {
  return Write([&](SqliteConnection& connection) {
    SqliteQuery update(connection,
                       "UPDATE glint_jobs SET lease_until_us = ? WHERE scan_id = ? AND fence = ? "
                       "AND state = 'running' RETURNING cancel_requested");
    update.Bind(Micros(lease_now_() + lease_time), lease.scan_id, lease.fence);
    if (!update.Next()) ThrowLeaseLost(lease);
    const bool cancel = update.Integer(0) != 0;
    update.Next();
    return cancel;
  });
}

absl::Status SqliteJobs::Record(const JobLease& lease, const JobProgress& progress) {
  return WriteLeased(lease, [&](SqliteConnection& connection) {
    AppendEvent(connection, lease.scan_id, {JobState::kRunning, progress}, now_());
  });
}

absl::Status SqliteJobs::RecordDelivery(const JobLease& lease, const JobDelivery& delivery) {
  return WriteLeased(lease, [&](SqliteConnection& connection) {
    AppendDelivery(connection, lease.scan_id, delivery, now_());
  });
}

absl::Status SqliteJobs::Complete(const JobLease& lease, std::string_view result) {
  return WriteLeased(lease, [&](SqliteConnection& connection) {
    EndJob(connection, lease.scan_id, JobState::kSucceeded, now_(), limits_.notify, std::nullopt,
           result);
  });
}

absl::Status SqliteJobs::Fail(const JobLease& lease, const JobFailure& failure) {
  return WriteLeased(lease, [&](SqliteConnection& connection) {
    const bool cancelled = failure.reason == Reason::kCancelled;
    EndJob(connection, lease.scan_id, cancelled ? JobState::kCancelled : JobState::kFailed, now_(),
           limits_.notify, failure, "");
  });
}

absl::Status SqliteJobs::Release(const JobLease& lease) {
  return WriteLeased(lease, [&](SqliteConnection& connection) {
    if (RequireJob(connection, lease.scan_id).cancel_requested) {
      EndJob(connection, lease.scan_id, JobState::kCancelled, now_(), limits_.notify,
             JobFailure{Reason::kCancelled, "cancelled while its worker gave it back"}, "");
      return;
    }
    if (lease.attempts_exhausted) {
      ExpireLease(connection, lease.scan_id);
      return;
    }
    AppendEvent(connection, lease.scan_id, {.state = JobState::kQueued}, now_());
    SqliteQuery update(connection,
                       "UPDATE glint_jobs SET attempts = attempts - 1, lease_until_us = NULL, "
                       "worker = NULL, started_us = NULL WHERE scan_id = ?");
    update.Bind(lease.scan_id);
    update.Run();
  });
}

absl::StatusOr<std::optional<JobStore::Notice>> SqliteJobs::TakeNotice(
    std::string_view target, std::chrono::milliseconds hold) {
  // What lies further ahead than any delay was written before the clock was set back.
  constexpr std::chrono::hours kFurthest(2);
  const auto due = [&](SqliteConnection& connection) -> std::optional<std::string> {
    SqliteQuery query(connection,
                      "SELECT scan_id FROM glint_outbox WHERE target = ? AND (next_us <= ? OR "
                      "next_us > ?) ORDER BY next_us LIMIT 1");
    query.Bind(target, Micros(now_()), Micros(now_() + kFurthest));
    if (!query.Next()) return std::nullopt;
    return query.Text(0);
  };
  GLINT_ASSIGN_OR_RETURN(const auto some, Read(due));
  if (!some) return std::nullopt;
  return Write([&](SqliteConnection& connection) -> std::optional<Notice> {
    const auto scan_id = due(connection);
    if (!scan_id) return std::nullopt;
    SqliteQuery update(connection,
                       "UPDATE glint_outbox SET attempts = attempts + 1, next_us = ? WHERE scan_id "
                       "= ? AND target = ? RETURNING attempts");
    update.Bind(Micros(now_() + hold), *scan_id, target);
    update.Next();
    Notice notice{*scan_id, static_cast<int>(update.Integer(0))};
    update.Next();
    return notice;
  });
}

absl::Status SqliteJobs::EndNotice(std::string_view scan_id, std::string_view target) {
  return Write([&](SqliteConnection& connection) {
           SqliteQuery ended(connection,
                             "DELETE FROM glint_outbox WHERE scan_id = ? AND target = ?");
           ended.Bind(scan_id, target);
           return ended.Run();
         })
      .status();
}

absl::Status SqliteJobs::DelayNotice(std::string_view scan_id, std::string_view target,
                                     std::chrono::milliseconds delay) {
  return Write([&](SqliteConnection& connection) {
           SqliteQuery later(
               connection, "UPDATE glint_outbox SET next_us = ? WHERE scan_id = ? AND target = ?");
           later.Bind(Micros(now_() + delay), scan_id, target);
           return later.Run();
         })
      .status();
}

absl::StatusOr<JobCounts> SqliteJobs::Counts() { return Read(ReadCounts); }

absl::StatusOr<std::int64_t> SqliteJobs::Sweep() {
  std::int64_t swept = 0;
  while (true) {
    GLINT_ASSIGN_OR_RETURN(const auto some, Write([&](SqliteConnection& connection) {
                             return DeleteEnded(connection, now_() - limits_.keep_ended,
                                                limits_.keep_ended_count, kSweepBatch);
                           }));
    swept += some;
    if (some == 0) return swept;
  }
}

std::unique_ptr<JobSubscription> SqliteJobs::Subscribe(
    std::function<void(const std::string&)> changed) {
  return feed_.Subscribe(std::move(changed));
}

}  // namespace glint
