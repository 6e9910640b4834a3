// SPDX-License-Identifier: Apache-2.0
#include "jobs/sql_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "jobs/turns.h"

namespace glint {
namespace {

constexpr int kMaxPage = 1000;
constexpr int kSweepBatch = 500;  // so that others may write in between
/// Claims need not read the tiers each time: a new one may come after others for so long, and is
/// looked for at once where they are empty.
constexpr std::chrono::seconds kTiersKnownFor(1);

[[noreturn]] void Throw(FailureReason reason, std::string_view message) {
  throw StatusException(Error(reason, message));
}

Job RequireJob(SqlConnection& connection, std::string_view scan_id, RowLock lock = RowLock::kNone) {
  std::optional<Job> job = ReadJob(connection, scan_id, lock);
  if (!job)
    Throw(ServiceReason::kScanNotFound, fmt::format("there is no scan '{}'", IdOf(scan_id)));
  return *std::move(job);
}

[[noreturn]] void ThrowLeaseLost(const JobLease& lease) {
  Throw(ServiceReason::kClaimLost,
        fmt::format("scan '{}' is not this worker's any more", lease.scan_id));
}

/// Locks the row of a job that is the lease's.
void RequireLease(SqlConnection& connection, const JobLease& lease) {
  SqlQuery held(connection,
                "SELECT 1 FROM glint_jobs WHERE scan_id = ? AND fence = ? AND state = 'running' "
                "FOR UPDATE");
  held.Bind(lease.scan_id, lease.fence);
  if (!held.Next()) ThrowLeaseLost(lease);
}

JobFailure WorkerDied(const Job& job) {
  return {ServiceReason::kWorkerDied,
          fmt::format("the worker died {} times while it ran this scan, last in the step '{}'; the "
                      "video is likely the cause",
                      job.attempts, Name(job.progress.step))};
}

void ExpireLease(SqlConnection& connection, const std::string& scan_id) {
  SqlQuery update(connection, "UPDATE glint_jobs SET lease_until_us = 0 WHERE scan_id = ?");
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

template <class ReadWork>
auto SqlJobs::Read(std::string_view purpose, ReadWork work)
    -> absl::StatusOr<decltype(work(std::declval<SqlConnection&>()))> {
  std::optional<decltype(work(std::declval<SqlConnection&>()))> result;
  GLINT_RETURN_IF_ERROR(
      RunRead(purpose, [&](SqlConnection& connection) { result.emplace(work(connection)); }));
  return *std::move(result);
}

template <class WriteWork>
auto SqlJobs::Write(std::string_view purpose, WriteWork work)
    -> absl::StatusOr<decltype(work(std::declval<SqlConnection&>()))> {
  std::optional<decltype(work(std::declval<SqlConnection&>()))> result;
  GLINT_RETURN_IF_ERROR(
      RunWrite(purpose, [&](SqlConnection& connection) { result.emplace(work(connection)); }));
  return *std::move(result);
}

template <class WriteWork>
absl::Status SqlJobs::WriteLeased(std::string_view purpose, const JobLease& lease, WriteWork work) {
  return Write(purpose,
               [&](SqlConnection& connection) {
                 RequireLease(connection, lease);
                 work(connection);
                 return true;
               })
      .status();
}

/// Ends a job, and lets one of its owner's that was held because of it have its turn.
void SqlJobs::End(SqlConnection& connection, const Job& job, JobState state,
                  const std::optional<JobFailure>& failure, std::string_view result) {
  const JobTime now = Now(connection);
  EndJob(connection, job, state, now, limits_.notify, failure, result);
  if (!job.owner.empty()) AddUsage(connection, job, now);
  if (job.running_quota == 0) return;
  LockOwner(connection, job.owner);
  AdmitHeld(connection, job.owner, job.running_quota);
}

absl::StatusOr<Job> SqlJobs::Get(std::string_view scan_id) {
  return Read("reading a scan",
              [&](SqlConnection& connection) { return RequireJob(connection, scan_id); });
}

absl::StatusOr<JobStore::Page> SqlJobs::List(std::string_view token, int size,
                                             const JobFilter& filter) {
  return Read("listing scans", [&](SqlConnection& connection) {
    if (size < 1 || size > kMaxPage) {
      Throw(Reason::kInvalidOption,
            fmt::format("a page has 1 to {} scans, not {}", kMaxPage, size));
    }
    auto numbered = ReadJobsBelow(connection, ReadToken(token), size + 1, filter);
    Page page;
    if (std::ssize(numbered) > size) {
      numbered.pop_back();
      page.next_token = std::to_string(numbered.back().first);
    }
    for (auto& [number, job] : numbered) page.jobs.push_back(std::move(job));
    return page;
  });
}

absl::StatusOr<std::vector<JobEvent>> SqlJobs::Events(std::string_view scan_id,
                                                      std::int64_t after_seq, int limit) {
  return Read("reading a scan's events", [&](SqlConnection& connection) {
    std::vector<JobEvent> events = ReadEvents(connection, scan_id, after_seq, limit);
    if (events.empty()) RequireJob(connection, scan_id);
    return events;
  });
}

/// @return whether it has ended by this
bool SqlJobs::CancelIn(SqlConnection& connection, const Job& job) {
  if (job.state == JobState::kQueued) {
    End(connection, job, JobState::kCancelled,
        JobFailure{Reason::kCancelled, "cancelled while it waited"}, "");
    return true;
  }
  if (job.state == JobState::kRunning && !job.cancel_requested) {
    MarkCancelled(connection, job.scan_id);
  }
  return false;
}

absl::StatusOr<Job> SqlJobs::Cancel(std::string_view scan_id) {
  return Write("cancelling a scan", [&](SqlConnection& connection) {
    CancelIn(connection, RequireJob(connection, scan_id, RowLock::kForUpdate));
    return RequireJob(connection, scan_id);
  });
}

absl::StatusOr<int> SqlJobs::CancelAll(std::span<const std::string> scan_ids) {
  return Write("cancelling scans", [&](SqlConnection& connection) {
    // All rows before the first end, which may lock their owner: others lock in that order, too.
    std::vector<Job> jobs;
    for (const std::string& scan_id : scan_ids) {
      if (auto job = ReadJob(connection, scan_id, RowLock::kForUpdate)) jobs.push_back(*job);
    }
    return static_cast<int>(
        std::ranges::count_if(jobs, [&](const Job& job) { return CancelIn(connection, job); }));
  });
}

absl::StatusOr<std::optional<JobStore::Claimed>> SqlJobs::Claim(
    std::string_view worker, std::chrono::milliseconds lease_time, const ClaimOrder& order) {
  constexpr std::string_view kPurpose = "claiming a scan";
  if (writers_take_turns()) {
    // Idle workers ask often, and must not take turns with those who write.
    GLINT_ASSIGN_OR_RETURN(const auto next, Read(kPurpose, [&](SqlConnection& connection) {
                             return NextToClaim(connection, order, RowLock::kNone);
                           }));
    if (!next) return std::nullopt;
  }
  return Write(kPurpose, [&](SqlConnection& connection) {
    return ClaimNext(connection, worker, lease_time, order);
  });
}

/// The tiers that jobs were ever submitted to. @return and whether newer ones may be missing: a
/// list that is younger than kTiersKnownFor is not read again
std::pair<std::vector<std::string>, bool> SqlJobs::RememberedTiers(SqlConnection& connection) {
  {
    const MutexLock lock(mutex_);
    const auto age = std::chrono::steady_clock::now() - tiers_read_;
    if (!tiers_.empty() && age < kTiersKnownFor) return {tiers_, true};
  }
  return {LearnTiers(connection), false};
}

std::vector<std::string> SqlJobs::LearnTiers(SqlConnection& connection) {
  const auto read = std::chrono::steady_clock::now();
  std::vector<std::string> tiers = KnownTiers(connection);
  const MutexLock lock(mutex_);
  tiers_ = tiers;
  tiers_read_ = read;
  return tiers;
}

void SqlJobs::ForgetTiersWithout(std::string_view tier) {
  const MutexLock lock(mutex_);
  if (std::ranges::find(tiers_, tier) == tiers_.end()) tiers_.clear();
}

std::optional<SqlJobs::Candidate> SqlJobs::NextToClaim(SqlConnection& connection,
                                                       const ClaimOrder& order, RowLock lock) {
  if (std::ranges::find(order.tiers, ClaimOrder::kOthers, &ClaimOrder::Tier::name) ==
      order.tiers.end()) {
    return NextOf(connection, order, {}, lock);
  }
  const auto [tiers, newer_may_miss] = RememberedTiers(connection);
  auto candidate = NextOf(connection, order, tiers, lock);
  if (candidate || !newer_may_miss) return candidate;
  return NextOf(connection, order, LearnTiers(connection), lock);
}

/// The first tier of the order that has a job, and that job. Tiers that nobody has named take turns
/// in being the first.
std::optional<SqlJobs::Candidate> SqlJobs::NextOf(SqlConnection& connection,
                                                  const ClaimOrder& order,
                                                  const std::vector<std::string>& tiers,
                                                  RowLock lock) {
  const auto is_other = [&](const std::string& tier) {
    return std::ranges::find(order.tiers, tier, &ClaimOrder::Tier::name) == order.tiers.end() &&
           std::ranges::find(order.not_others, tier) == order.not_others.end();
  };
  for (const ClaimOrder::Tier& entry : order.tiers) {
    const bool others = entry.name == ClaimOrder::kOthers;
    std::vector<std::string> names = {entry.name};
    if (others) {
      names = tiers;
      std::erase_if(names, [&](const std::string& tier) { return !is_other(tier); });
      const MutexLock lock_turns(mutex_);
      std::rotate(names.begin(), std::ranges::upper_bound(names, latest_other_), names.end());
    }
    for (const std::string& name : names) {
      auto job = NextOfTier(connection, name, entry.waited, lock);
      if (!job) continue;
      if (others && lock == RowLock::kForUpdate) {
        const MutexLock lock_turns(mutex_);
        latest_other_ = name;
      }
      return Candidate{*std::move(job), &entry};
    }
  }
  return std::nullopt;
}

/// The oldest job of the tier whose worker let its lease end, or else the one whose turn it is.
std::optional<std::string> SqlJobs::NextOfTier(SqlConnection& connection, std::string_view tier,
                                               std::chrono::milliseconds waited, RowLock lock) {
  if (auto expired = FindExpired(connection, tier, lock)) return expired;
  constexpr const char* kNext =
      "SELECT scan_id, created_us FROM glint_jobs WHERE state = 'queued' AND tier = ? AND turn < "
      "4611686018427387904 ORDER BY turn, number LIMIT 1";
  constexpr const char* kNextFree =
      "SELECT scan_id, created_us FROM glint_jobs WHERE state = 'queued' AND tier = ? AND turn < "
      "4611686018427387904 ORDER BY turn, number LIMIT 1 FOR UPDATE SKIP LOCKED";
  SqlQuery waiting(connection, lock == RowLock::kForUpdate ? kNextFree : kNext);
  waiting.Bind(tier);
  if (!waiting.Next()) return std::nullopt;
  if (waited.count() > 0 && waiting.Integer(1) > Micros(Now(connection) - waited)) {
    return std::nullopt;
  }
  return waiting.Text(0);
}

std::optional<JobStore::Claimed> SqlJobs::ClaimNext(SqlConnection& connection,
                                                    std::string_view worker,
                                                    std::chrono::milliseconds lease_time,
                                                    const ClaimOrder& order) {
  const JobTime now = Now(connection);
  while (const auto next = NextToClaim(connection, order, RowLock::kForUpdate)) {
    const std::string& scan_id = next->scan_id;
    const Job job = RequireJob(connection, scan_id, RowLock::kForUpdate);
    const bool worker_died = job.state == JobState::kRunning;
    if (worker_died && job.cancel_requested) {
      End(connection, job, JobState::kCancelled,
          JobFailure{Reason::kCancelled, "cancelled; its worker had died"}, "");
      continue;
    }
    // A download, or waiting after it, kills no worker: that was another scan.
    const bool blameless = worker_died && job.progress.step == ScanStep::kDownloading;
    const bool attempts_exhausted =
        worker_died && !blameless && job.attempts >= limits_.max_attempts;
    const JobProgress progress = attempts_exhausted ? job.progress : JobProgress();
    const std::int64_t fence =
        AppendEvent(connection, scan_id, {JobState::kRunning, progress}, now);
    SqlQuery update(
        connection,
        "UPDATE glint_jobs SET fence = ?, lease_until_us = ?, worker = ?, started_us = ?, attempts "
        "= ?, device = ?, placed = ? WHERE scan_id = ?");
    update.Bind(fence, Micros(LeaseNow(connection) + lease_time), worker,
                Micros(attempts_exhausted ? job.started.value_or(now) : now),
                job.attempts + (attempts_exhausted || blameless ? 0 : 1), order.device,
                next->tier->placing, scan_id);
    update.Run();
    OnLeased(connection, scan_id);
    return Claimed{RequireJob(connection, scan_id),
                   {scan_id, fence, attempts_exhausted, job.trace},
                   attempts_exhausted ? std::optional(WorkerDied(job)) : std::nullopt};
  }
  return std::nullopt;
}

absl::StatusOr<std::int64_t> SqlJobs::ExpireLeasesOf(std::string_view worker) {
  return Write("ending leases", [&](SqlConnection& connection) {
    SqlQuery update(connection,
                    "UPDATE glint_jobs SET lease_until_us = 0 WHERE state = 'running' AND "
                    "worker = ?");
    update.Bind(worker);
    return update.Run();
  });
}

absl::StatusOr<bool> SqlJobs::Heartbeat(const JobLease& lease,
                                        std::chrono::milliseconds lease_time) {
  return Write("renewing a lease", [&](SqlConnection& connection) {
    SqlQuery update(connection,
                    "UPDATE glint_jobs SET lease_until_us = ? WHERE scan_id = ? AND fence = ? "
                    "AND state = 'running' RETURNING cancel_requested");
    update.Bind(Micros(LeaseNow(connection) + lease_time), lease.scan_id, lease.fence);
    if (!update.Next()) ThrowLeaseLost(lease);
    const bool cancel = update.Integer(0) != 0;
    update.Next();
    return cancel;
  });
}

absl::Status SqlJobs::Record(const JobLease& lease, const JobProgress& progress) {
  return WriteLeased("recording progress", lease, [&](SqlConnection& connection) {
    AppendEvent(connection, lease.scan_id, {JobState::kRunning, progress}, Now(connection));
  });
}

absl::Status SqlJobs::RecordDelivery(const JobLease& lease, const JobDelivery& delivery) {
  return WriteLeased("recording a delivery", lease, [&](SqlConnection& connection) {
    AppendDelivery(connection, lease.scan_id, delivery, Now(connection));
  });
}

absl::Status SqlJobs::Complete(const JobLease& lease, std::string_view result) {
  return WriteLeased("ending a scan", lease, [&](SqlConnection& connection) {
    End(connection, RequireJob(connection, lease.scan_id), JobState::kSucceeded, std::nullopt,
        result);
  });
}

absl::Status SqlJobs::Fail(const JobLease& lease, const JobFailure& failure) {
  return WriteLeased("ending a scan", lease, [&](SqlConnection& connection) {
    const bool cancelled = failure.reason == Reason::kCancelled;
    End(connection, RequireJob(connection, lease.scan_id),
        cancelled ? JobState::kCancelled : JobState::kFailed, failure, "");
  });
}

absl::Status SqlJobs::Release(const JobLease& lease) {
  return WriteLeased("giving a scan back", lease, [&](SqlConnection& connection) {
    const Job job = RequireJob(connection, lease.scan_id);
    if (job.cancel_requested) {
      End(connection, job, JobState::kCancelled,
          JobFailure{Reason::kCancelled, "cancelled while its worker gave it back"}, "");
    } else if (lease.attempts_exhausted) {
      ExpireLease(connection, lease.scan_id);
    } else {
      ReturnJob(connection, lease.scan_id, Now(connection));
    }
  });
}

absl::StatusOr<std::optional<JobStore::Notice>> SqlJobs::TakeNotice(
    std::string_view target, std::chrono::milliseconds hold) {
  // What lies further ahead than any delay was written before the clock was set back.
  constexpr std::chrono::hours kFurthest(2);
  const auto due = [&](SqlConnection& connection) -> std::optional<std::string> {
    SqlQuery query(connection,
                   "SELECT scan_id FROM glint_outbox WHERE target = ? AND (next_us <= ? OR "
                   "next_us > ?) ORDER BY next_us LIMIT 1");
    query.Bind(target, Micros(Now(connection)), Micros(Now(connection) + kFurthest));
    if (!query.Next()) return std::nullopt;
    return query.Text(0);
  };
  constexpr std::string_view kPurpose = "taking a notice";
  GLINT_ASSIGN_OR_RETURN(const auto some, Read(kPurpose, due));
  if (!some) return std::nullopt;
  return Write(kPurpose, [&](SqlConnection& connection) -> std::optional<Notice> {
    const auto scan_id = due(connection);
    if (!scan_id) return std::nullopt;
    SqlQuery update(connection,
                    "UPDATE glint_outbox SET attempts = attempts + 1, next_us = ? WHERE scan_id "
                    "= ? AND target = ? RETURNING attempts");
    update.Bind(Micros(Now(connection) + hold), *scan_id, target);
    update.Next();
    Notice notice{*scan_id, static_cast<int>(update.Integer(0))};
    update.Next();
    return notice;
  });
}

absl::Status SqlJobs::EndNotice(std::string_view scan_id, std::string_view target) {
  return Write("ending a notice",
               [&](SqlConnection& connection) {
                 SqlQuery ended(connection,
                                "DELETE FROM glint_outbox WHERE scan_id = ? AND target = ?");
                 ended.Bind(scan_id, target);
                 return ended.Run();
               })
      .status();
}

absl::Status SqlJobs::DelayNotice(std::string_view scan_id, std::string_view target,
                                  std::chrono::milliseconds delay) {
  return Write("delaying a notice",
               [&](SqlConnection& connection) {
                 SqlQuery later(
                     connection,
                     "UPDATE glint_outbox SET next_us = ? WHERE scan_id = ? AND target = ?");
                 later.Bind(Micros(Now(connection) + delay), scan_id, target);
                 return later.Run();
               })
      .status();
}

absl::StatusOr<JobCounts> SqlJobs::Counts() { return Read("counting scans", ReadCounts); }

absl::Status SqlJobs::Register(const RegisteredWorker& worker) {
  return Write("registering a worker",
               [&](SqlConnection& connection) {
                 WriteWorker(connection, worker, Now(connection));
                 return true;
               })
      .status();
}

absl::StatusOr<std::vector<RegisteredWorker>> SqlJobs::Workers() {
  return Read("reading the workers",
              [&](SqlConnection& connection) { return ReadWorkers(connection, Now(connection)); });
}

absl::StatusOr<std::int64_t> SqlJobs::Sweep() {
  GLINT_RETURN_IF_ERROR(Write("forgetting workers", [&](SqlConnection& connection) {
                          ForgetOld(connection, Now(connection));
                          return true;
                        }).status());
  std::int64_t swept = 0;
  while (true) {
    GLINT_ASSIGN_OR_RETURN(const auto some,
                           Write("deleting ended scans", [&](SqlConnection& connection) {
                             return DeleteEnded(connection, Now(connection) - limits_.keep_ended,
                                                limits_.keep_ended_count, kSweepBatch);
                           }));
    swept += some;
    if (some == 0) return swept;
  }
}

}  // namespace glint
