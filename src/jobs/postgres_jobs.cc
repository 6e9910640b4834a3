// SPDX-License-Identifier: Apache-2.0
#include "jobs/postgres_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status_macros.h"
#include "jobs/job_counts.h"
#include "jobs/postgres_connection.h"
#include "jobs/postgres_feed.h"
#include "jobs/postgres_pool.h"
#include "jobs/postgres_schema.h"
#include "jobs/sql_jobs.h"

namespace glint {
namespace {

/// Of transactions that others got in the way of.
constexpr int kMostAttempts = 10;
/// So many may be submitted at the same moment without the queue becoming fuller than allowed; in a
/// long queue more, as for batches at many workers.
constexpr std::int64_t kSubmittedAtOnce = 1'000;
constexpr std::int64_t kPartOfLongQueue = 10;
/// Of the advisory lock of submissions to a queue that is nearly full: "glinq" in ASCII.
constexpr std::int64_t kAdmissionLock = 0x676c696e71;
/// How long counts of what waits serve all workers.
constexpr std::chrono::seconds kCountedFor(4);
/// Of those of an owner, with the owner's hash: "glio" in ASCII.
constexpr std::int64_t kOwnerLock = 0x676c696f;

class PostgresJobs final : public SqlJobs {
 public:
  PostgresJobs(std::string shown, const std::string& url, const JobLimits& limits,
               const PostgresJobsOptions& options)
      : SqlJobs(limits),
        shown_(std::move(shown)),
        now_(options.now),
        pool_({url, options.answer_within}, options.connections, options.connection_within,
              MigratePostgres),
        feed_({options.listen_url.empty() ? url : options.listen_url, options.answer_within},
              options.poll_interval, MigratePostgres) {}

  /// Whether the server can be used, now or later.
  absl::Status Prove() {
    try {
      const PostgresPool::Loan loan(pool_);
      return absl::OkStatus();
    } catch (const PostgresException& failure) {
      if (MayPass(failure)) return absl::OkStatus();
      return StatusOfPostgres(shown_, "opening");
    } catch (...) {
      return StatusOfPostgres(shown_, "opening");
    }
  }

  absl::StatusOr<std::vector<TierQueue>> RecentTiers() override;

  std::unique_ptr<JobSubscription> Subscribe(std::function<void(const std::string&)> changed,
                                             JobChanges which) override {
    return feed_.Subscribe(std::move(changed), which);
  }

 private:
  absl::Status RunRead(std::string_view purpose, const Work& work) override {
    return Use(purpose,
               [&](PostgresConnection& connection, bool& /*committing*/) { work(connection); });
  }

  absl::Status RunWrite(std::string_view purpose, const Work& work) override {
    return Use(purpose, [&](PostgresConnection& connection, bool& committing) {
      connection.Begin();
      work(connection);
      committing = true;
      feed_.TellOwn(connection.Commit());
    });
  }

  JobTime Now(SqlConnection& connection) override {
    return now_ ? now_() : static_cast<PostgresConnection&>(connection).ServerTime();
  }
  JobTime LeaseNow(SqlConnection& connection) override { return Now(connection); }
  void OnLeased(SqlConnection& /*connection*/, std::string_view /*scan_id*/) override {}
  bool writers_take_turns() const override { return false; }
  std::optional<std::string> FindExpired(SqlConnection& connection, std::string_view tier,
                                         RowLock lock) override;
  std::optional<std::int64_t> TakeTurnsBefore(SqlConnection& connection, const NewJob& job,
                                              std::int64_t count) override;
  void LockOwner(SqlConnection& connection, std::string_view owner) override;
  std::int64_t RoomInQueue(SqlConnection& connection, std::int64_t wanted) override;

  template <class Attempt>
  absl::Status Use(std::string_view purpose, Attempt attempt);

  const std::string shown_;
  const std::function<JobTime()> now_;
  PostgresPool pool_;
  PostgresFeed feed_;
};

/// Lends a connection, and repeats what failed because others got in the way, or because the server
/// had ended a connection since it was used last. What may have been committed is not repeated.
template <class Attempt>
absl::Status PostgresJobs::Use(std::string_view purpose, Attempt attempt) {
  for (int attempts = 1;; ++attempts) {
    try {
      PostgresPool::Loan loan(pool_);
      bool committing = false;
      try {
        attempt(loan.connection(), committing);
        return absl::OkStatus();
      } catch (const PostgresException& failure) {
        loan.connection().Rollback();
        const bool stale = loan.used_before() && loan.connection().lost() && !committing &&
                           failure.code() != kNoAnswer;
        if (stale) pool_.DropIdle();
        if (attempts < kMostAttempts && (stale || IsRetryable(failure))) continue;
        // A primary that has become a standby keeps its connections, which are of no use.
        if (failure.code() == "25006") loan.Discard();
        throw;
      } catch (...) {
        loan.connection().Rollback();
        throw;
      }
    } catch (...) {
      return StatusOfPostgres(shown_, purpose);
    }
  }
}

std::optional<std::string> PostgresJobs::FindExpired(SqlConnection& connection,
                                                     std::string_view tier, RowLock lock) {
  constexpr const char* kExpired =
      "SELECT scan_id FROM glint_jobs WHERE state = 'running' AND lease_until_us <= ? AND tier = ? "
      "ORDER BY number LIMIT 1";
  constexpr const char* kExpiredFree =
      "SELECT scan_id FROM glint_jobs WHERE state = 'running' AND lease_until_us <= ? AND tier = ? "
      "ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED";
  SqlQuery expired(connection, lock == RowLock::kForUpdate ? kExpiredFree : kExpired);
  expired.Bind(Micros(LeaseNow(connection)), tier);
  if (!expired.Next()) return std::nullopt;
  return expired.Text(0);
}

/// In a transaction of its own that waits for no disk: until it is committed, nobody else can take
/// a turn of this owner. A server that crashes forgets some turns, which harms nobody.
std::optional<std::int64_t> PostgresJobs::TakeTurnsBefore(SqlConnection& connection,
                                                          const NewJob& job, std::int64_t count) {
  SqlQuery turn(
      connection,
      "WITH quick AS (SELECT set_config('synchronous_commit', 'off', true) AS said) INSERT INTO "
      "glint_turns (tier, owner, latest) SELECT ?, ?, COALESCE((SELECT turn FROM glint_jobs WHERE "
      "state = 'queued' AND tier = ? AND turn < 4611686018427387904 ORDER BY turn, number LIMIT "
      "1), "
      "(SELECT MAX(latest) FROM glint_turns WHERE tier = ?), 0) + ? FROM quick WHERE said = 'off' "
      "AND NOT EXISTS (SELECT 1 FROM glint_jobs WHERE scan_id = ? AND state <> 'failed') ON "
      "CONFLICT (tier, owner) DO UPDATE SET latest = CASE WHEN glint_turns.latest < "
      "excluded.latest - ? THEN excluded.latest ELSE glint_turns.latest + 1 + ? END RETURNING "
      "latest");
  const std::int64_t others = count - 1;
  turn.Bind(job.tier, job.owner, job.tier, job.tier, others,
            others == 0 ? std::string_view(job.scan_id) : std::string_view(), others, others);
  if (!turn.Next()) return std::nullopt;
  return turn.Integer(0) - others;
}

void PostgresJobs::LockOwner(SqlConnection& connection, std::string_view owner) {
  SqlQuery lock(connection, "SELECT pg_advisory_xact_lock(?, hashtext(?))");
  lock.Bind(kOwnerLock, owner);
  lock.Next();
}

/// Counts, one submission after the other, only where the queue may be nearly full.
std::int64_t PostgresJobs::RoomInQueue(SqlConnection& connection, std::int64_t wanted) {
  const std::int64_t capacity = limits().queue_capacity;
  const std::int64_t unseen = std::max(kSubmittedAtOnce, capacity / kPartOfLongQueue);
  const std::int64_t left = capacity - QueuedAtMost(connection) - unseen;
  if (left >= wanted) return left;
  if (CountQueued(connection) >= capacity) return 0;
  SqlQuery lock(connection, "SELECT pg_advisory_xact_lock(?)");
  lock.Bind(kAdmissionLock);
  lock.Next();
  return capacity - CountQueued(connection);
}

/// Counting takes the longer the more wait, so that a hundred workers must not do it all the time:
/// whoever finds the counts too old counts, and the others take the older ones meanwhile.
absl::StatusOr<std::vector<TierQueue>> PostgresJobs::RecentTiers() {
  constexpr std::string_view kPurpose = "counting tiers";
  std::optional<std::vector<TierQueue>> tiers;
  GLINT_RETURN_IF_ERROR(RunRead(kPurpose, [&](SqlConnection& connection) {
    const JobTime now = Now(connection);
    tiers = ReadCountedTiers(connection, now, now - kCountedFor);
  }));
  if (tiers) return *std::move(tiers);
  GLINT_RETURN_IF_ERROR(RunWrite(kPurpose, [&](SqlConnection& connection) {
    const JobTime now = Now(connection);
    SqlQuery mine(connection,
                  "SELECT 1 FROM glint_counted WHERE what = 'tiers' FOR UPDATE SKIP LOCKED");
    const bool counts = mine.Next();
    tiers = ReadCountedTiers(connection, now, counts ? now - kCountedFor : JobTime());
    if (tiers) return;
    tiers = ReadTiers(connection, now);
    if (counts) WriteCountedTiers(connection, *tiers, now);
  }));
  return *std::move(tiers);
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobStore>> OpenPostgresJobs(const std::string& url,
                                                           const JobLimits& limits,
                                                           const PostgresJobsOptions& options) {
  GLINT_ASSIGN_OR_RETURN(PostgresUrl read, ReadPostgresUrl(url));
  auto jobs = std::make_unique<PostgresJobs>(std::move(read.shown), url, limits, options);
  GLINT_RETURN_IF_ERROR(jobs->Prove());
  return jobs;
}

}  // namespace glint
