// SPDX-License-Identifier: Apache-2.0
// What SqlJobs does with jobs that are submitted: who may come in, and in whose turn.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "base/status_macros.h"
#include "jobs/sql_jobs.h"
#include "jobs/turns.h"

namespace glint {
namespace {

/// Ids that one statement asks for.
constexpr std::size_t kIdsAtOnce = 100;

/// A job that exists, as one that is submitted under its id has to know it.
struct KnownJob {
  std::string request;
  std::string batch;
  bool may_run_again = false;  ///< a submission of the same request makes it anew
};
using KnownJobs = std::map<std::string, KnownJob, std::less<>>;

/// The statement that reads so many jobs by their ids.
std::string KnownStatement(std::size_t ids, RowLock lock) {
  std::string values = "?";
  for (std::size_t i = 1; i < ids; ++i) values += ", ?";
  return fmt::format(
      "SELECT scan_id, request, batch, state, reason FROM glint_jobs AS job WHERE scan_id IN "
      "({}){}",
      values, lock == RowLock::kForUpdate ? " FOR UPDATE" : "");
}

/// Those of the jobs that exist.
KnownJobs ReadKnown(SqlConnection& connection, std::span<const NewJob> jobs, RowLock lock) {
  static const std::string one = KnownStatement(1, RowLock::kNone);
  static const std::string one_locked = KnownStatement(1, RowLock::kForUpdate);
  static const std::string many = KnownStatement(kIdsAtOnce, RowLock::kNone);
  static const std::string many_locked = KnownStatement(kIdsAtOnce, RowLock::kForUpdate);
  const bool locks = lock == RowLock::kForUpdate;
  KnownJobs known;
  for (std::size_t first = 0; first < jobs.size(); first += kIdsAtOnce) {
    const auto some = jobs.subspan(first, std::min(kIdsAtOnce, jobs.size() - first));
    const bool alone = some.size() == 1;
    const std::string& sql = alone ? (locks ? one_locked : one) : (locks ? many_locked : many);
    SqlQuery rows(connection, sql.c_str());
    // The last one again and again, where there are fewer than the statement asks for.
    for (std::size_t i = 0; i < (alone ? 1 : kIdsAtOnce); ++i) {
      rows.Bind(some[std::min(i, some.size() - 1)].scan_id);
    }
    while (rows.Next()) {
      const auto reason = FailureReasonNamed(rows.Text(4));
      known[rows.Text(0)] = {.request = rows.Text(1),
                             .batch = rows.Text(2),
                             .may_run_again = JobStateNamed(rows.Text(3)) == JobState::kFailed &&
                                              reason && Info(*reason).retryable};
    }
  }
  return known;
}

/// What is said of a job that exists and stays; nothing when it is to be queued.
std::optional<absl::StatusOr<JobStore::SubmittedOne>> AnswerOf(const NewJob& job,
                                                               const KnownJobs& known) {
  const auto found = known.find(job.scan_id);
  if (found == known.end()) return std::nullopt;
  if (found->second.request != job.request) {
    return Error(ServiceReason::kScanConflict,
                 fmt::format("scan '{}' exists with another request; choose another scan_id",
                             IdOf(job.scan_id)));
  }
  if (found->second.may_run_again) return std::nullopt;
  return JobStore::SubmittedOne{.created = false, .batch = found->second.batch};
}

}  // namespace

/// How many more jobs of an owner may come in.
class SqlJobs::Room {
 public:
  /// @param wanted  nobody asks for more
  Room(SqlJobs& jobs, SqlConnection& connection, const NewJob& job, std::int64_t wanted)
      : owner_(job.owner),
        quotas_(job.quotas),
        capacity_(jobs.limits_.queue_capacity),
        in_queue_(jobs.RoomInQueue(connection, wanted)) {
    if (quotas_.frames_per_day > 0) {
      frames_ = FramesUsed(connection, owner_, jobs.Now(connection));
    }
    if (quotas_.queued > 0) {
      of_owner_ = quotas_.queued - CountWaiting(connection, owner_, quotas_.queued);
    }
  }

  /// For one job. Errors: QUEUE_FULL, QUOTA_EXCEEDED
  absl::Status Take() {
    if (in_queue_ <= 0) {
      return Error(ServiceReason::kQueueFull,
                   fmt::format("{} scans wait already; try again later", capacity_));
    }
    if (quotas_.frames_per_day > 0 && frames_ >= quotas_.frames_per_day) {
      return Error(ServiceReason::kQuotaExceeded,
                   fmt::format("the scans of '{}' have had {} frames today, of {} that they may "
                               "have; they may have more from midnight UTC on",
                               owner_, frames_, quotas_.frames_per_day));
    }
    if (of_owner_ <= 0) {
      return Error(
          ServiceReason::kQuotaExceeded,
          fmt::format("{} scans of '{}' wait already, which is as many as may; try again later",
                      quotas_.queued, owner_));
    }
    --in_queue_;
    --of_owner_;
    return absl::OkStatus();
  }

 private:
  const std::string owner_;
  const OwnerQuotas quotas_;
  const std::int64_t capacity_;
  std::int64_t in_queue_;
  std::int64_t frames_ = 0;
  std::int64_t of_owner_ = std::numeric_limits<std::int64_t>::max();
};

/// Turns of an owner: those that were taken before the transaction, by tier, and others.
class SqlJobs::Turns {
 public:
  void Add(const std::string& tier, std::int64_t first, std::int64_t count) {
    taken_[tier] = {first, first + count};
  }

  /// The turn of a job that is submitted now.
  std::int64_t Next(SqlConnection& connection, const NewJob& job) {
    if (job.quotas.running > 0) {
      if (!admitted_) admitted_ = CountAdmitted(connection, job.owner);
      if (*admitted_ >= job.quotas.running) {
        NoteTier(connection, job.tier, job.owner);
        return kHeldTurn;
      }
      ++*admitted_;
    }
    const auto taken = taken_.find(job.tier);
    if (taken == taken_.end() || taken->second.next == taken->second.end) {
      return TakeTurn(connection, job.tier, job.owner);
    }
    return taken->second.next++;
  }

  /// Takes back those that nobody got. The owner is some turns later where that fails.
  void GiveBack(SqlConnection& connection, const std::string& owner) const {
    for (const auto& [tier, range] : taken_) {
      const std::int64_t left = range.end - range.next;
      if (left > 0) GiveTurnsBack(connection, tier, owner, range.end - 1, left);
    }
  }

  bool empty() const { return taken_.empty(); }

 private:
  struct Range {
    std::int64_t next = 0;
    std::int64_t end = 0;
  };
  std::map<std::string, Range> taken_;
  std::optional<std::int64_t> admitted_;  // jobs of the owner that run or have a turn
};

/// Takes turns for jobs that are about to be submitted. Where many submit at once, those that are
/// taken in the transaction make them wait for each other's commits.
absl::StatusOr<SqlJobs::Turns> SqlJobs::TurnsBefore(std::string_view purpose,
                                                    std::span<const NewJob> jobs) {
  Turns turns;
  GLINT_RETURN_IF_ERROR(RunRead(purpose, [&](SqlConnection& connection) {
    turns = {};
    if (writers_take_turns() || jobs.front().quotas.running > 0) return;
    // A single one is looked for by the statement that takes its turn.
    const KnownJobs known =
        jobs.size() == 1 ? KnownJobs() : ReadKnown(connection, jobs, RowLock::kNone);
    std::map<std::string, std::pair<const NewJob*, std::int64_t>> wanted;
    for (const NewJob& job : jobs) {
      if (AnswerOf(job, known)) continue;
      auto& [first, count] = wanted[job.tier];
      first = &job;
      ++count;
    }
    for (const auto& [tier, of_tier] : wanted) {
      const auto first = TakeTurnsBefore(connection, *of_tier.first, of_tier.second);
      if (first) turns.Add(tier, *first, of_tier.second);
    }
  }));
  return turns;
}

/// Submits jobs of one owner. @return what is said of each
std::vector<absl::StatusOr<JobStore::SubmittedOne>> SqlJobs::SubmitIn(SqlConnection& connection,
                                                                      std::span<const NewJob> jobs,
                                                                      Turns& turns) {
  // Read once: another submission may insert a job between two looks.
  KnownJobs known = ReadKnown(connection, jobs, RowLock::kForUpdate);
  const NewJob& front = jobs.front();
  // After the rows, as who ends a job does.
  if (front.quotas.queued > 0 || front.quotas.running > 0) LockOwner(connection, front.owner);
  std::optional<Room> room;
  std::vector<TurnedJob> added;
  std::vector<absl::StatusOr<SubmittedOne>> answers;
  for (const NewJob& job : jobs) {
    if (auto answer = AnswerOf(job, known)) {
      answers.push_back(*std::move(answer));
      continue;
    }
    if (!room) room.emplace(*this, connection, front, std::ssize(jobs));
    if (const absl::Status may = room->Take(); !may.ok()) {
      answers.emplace_back(may);
      continue;
    }
    const std::int64_t turn = turns.Next(connection, job);
    if (known.contains(job.scan_id)) {
      RequeueJob(connection, job, turn, Now(connection));
    } else {
      added.push_back({&job, turn});
    }
    known[job.scan_id] = {.request = job.request, .batch = job.batch};
    answers.emplace_back(SubmittedOne{.created = true, .batch = job.batch});
  }
  InsertJobs(connection, added, Now(connection));
  return answers;
}

/// Submits jobs of one owner, and does something more in the same transaction.
absl::StatusOr<std::vector<absl::StatusOr<JobStore::SubmittedOne>>> SqlJobs::SubmitWith(
    std::string_view purpose, std::span<const NewJob> jobs, const Work& more) {
  GLINT_ASSIGN_OR_RETURN(const Turns taken, TurnsBefore(purpose, jobs));
  Turns left = taken;
  std::vector<absl::StatusOr<SubmittedOne>> answers;
  const absl::Status written = RunWrite(purpose, [&](SqlConnection& connection) {
    left = taken;
    answers = SubmitIn(connection, jobs, left);
    if (more) more(connection);
  });
  if (!taken.empty()) {
    const absl::Status given_back = RunRead(purpose, [&](SqlConnection& connection) {
      (written.ok() ? left : taken).GiveBack(connection, jobs.front().owner);
    });
    static_cast<void>(given_back);  // the owner is some turns later, at worst
  }
  GLINT_RETURN_IF_ERROR(written);
  for (const NewJob& job : jobs) ForgetTiersWithout(job.tier);
  return answers;
}

absl::StatusOr<std::vector<absl::StatusOr<JobStore::SubmittedOne>>> SqlJobs::SubmitAll(
    std::span<const NewJob> jobs) {
  if (jobs.empty()) return std::vector<absl::StatusOr<SubmittedOne>>();
  return SubmitWith("submitting scans", jobs, nullptr);
}

absl::StatusOr<JobStore::Submitted> SqlJobs::Submit(const NewJob& job) {
  constexpr std::string_view kPurpose = "submitting a scan";
  const std::span jobs(&job, 1);
  Submitted submitted;
  const auto read = [&](SqlConnection& connection) {
    if (auto found = ReadJob(connection, job.scan_id)) submitted.job = *std::move(found);
  };
  if (writers_take_turns()) {
    // Most submissions to a full queue end here, without the write lock and the disk.
    std::optional<absl::Status> answer;
    GLINT_RETURN_IF_ERROR(RunRead(kPurpose, [&](SqlConnection& connection) {
      const auto known = AnswerOf(job, ReadKnown(connection, jobs, RowLock::kNone));
      answer = known ? known->status() : Room(*this, connection, job, 1).Take();
      if (known && known->ok()) {
        read(connection);
      } else if (answer->ok()) {
        answer.reset();
      }
    }));
    if (answer && answer->ok()) return submitted;
    if (answer) return *answer;
  }
  GLINT_ASSIGN_OR_RETURN(const auto answers, SubmitWith(kPurpose, jobs, read));
  GLINT_RETURN_IF_ERROR(answers.front().status());
  submitted.created = answers.front()->created;
  return submitted;
}

}  // namespace glint
