// SPDX-License-Identifier: Apache-2.0
#include "jobs/job_counts.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "jobs/job_rows.h"

namespace glint {
namespace {

void Add(JobState state, std::int64_t jobs, JobCounts& counts) {
  switch (state) {
    case JobState::kQueued:
      counts.queued += jobs;
      break;
    case JobState::kRunning:
      counts.running += jobs;
      break;
    case JobState::kSucceeded:
      counts.succeeded += jobs;
      break;
    case JobState::kFailed:
      counts.failed += jobs;
      break;
    case JobState::kCancelled:
      counts.cancelled += jobs;
      break;
  }
}

/// The earlier or later of a time that may be there and the one in a column that may.
template <class Choose>
void Widen(std::optional<JobTime>& time, const SqlQuery& row, int column, Choose choose) {
  if (row.IsNull(column)) return;
  const JobTime other{std::chrono::microseconds(row.Integer(column))};
  time = time ? choose(*time, other) : other;
}

JobTime Earlier(JobTime a, JobTime b) { return std::min(a, b); }
JobTime Later(JobTime a, JobTime b) { return std::max(a, b); }

/// The failures of this reason, by its name in the store.
BatchFailures& FailuresOf(BatchState& batch, std::string_view reason) {
  const FailureReason named = FailureReasonNamed(reason).value_or(Reason::kInternal);
  const auto found = std::ranges::find(batch.failures, named, &BatchFailures::reason);
  if (found != batch.failures.end()) return *found;
  return batch.failures.emplace_back(BatchFailures{.reason = named});
}

void AddExamples(SqlConnection& connection, const BatchName& name, int examples,
                 BatchState& batch) {
  SqlQuery rows(connection,
                "SELECT scan_id, reason, message FROM (SELECT scan_id, reason, message, "
                "ROW_NUMBER() OVER (PARTITION BY reason ORDER BY number) AS place FROM glint_jobs "
                "WHERE owner = ? AND batch = ? AND batch <> '' AND state = 'failed') AS failed "
                "WHERE place <= ? ORDER BY reason, place");
  rows.Bind(name.owner, name.batch, examples);
  while (rows.Next()) {
    FailuresOf(batch, rows.Text(1)).examples.push_back({rows.Text(0), rows.Text(2)});
  }
}

/// Microseconds that each tier's latest attempts took, and by "" those of all tiers: of the latest
/// jobs of all that ended, so that it takes no longer than that however many there are.
std::map<std::string, double> ReadPaces(SqlConnection& connection) {
  SqlQuery rows(connection,
                "SELECT tier, COUNT(*), CAST(SUM(took) AS BIGINT) FROM (SELECT tier, ended_us - "
                "started_us AS took FROM glint_jobs WHERE ended_us IS NOT NULL AND started_us IS "
                "NOT NULL ORDER BY ended_us DESC LIMIT 500) AS latest GROUP BY tier");
  std::map<std::string, double> paces;
  double jobs = 0;
  double time = 0;
  while (rows.Next()) {
    const auto count = static_cast<double>(rows.Integer(1));
    const auto took = static_cast<double>(rows.Integer(2));
    paces[rows.Text(0)] = took / count;
    jobs += count;
    time += took;
  }
  if (jobs > 0) paces.try_emplace("", time / jobs);
  return paces;
}

}  // namespace

BatchState ReadBatch(SqlConnection& connection, const BatchName& name, int examples, JobTime now) {
  constexpr const char* kCounts =
      "SELECT tier, device, state, reason, COUNT(*), 0, MIN(created_us), MIN(started_us), "
      "MAX(ended_us), SUM(CASE WHEN ended_us > ? THEN 1 ELSE 0 END) FROM glint_jobs WHERE owner = "
      "? AND batch = ? AND batch <> '' GROUP BY tier, device, state, reason ORDER BY tier, device";
  // A worker claims scans while others of it run, and downloads their videos: that takes no lane.
  constexpr const char* kCountsAndTimes =
      "SELECT tier, device, state, reason, COUNT(*), CAST(COALESCE(SUM(ended_us - begun_us), 0) AS "
      "BIGINT), MIN(created_us), MIN(started_us), MAX(ended_us), SUM(CASE WHEN ended_us > ? THEN 1 "
      "ELSE 0 END) FROM (SELECT job.*, (SELECT MIN(time_us) FROM glint_events AS event WHERE "
      "event.scan_id = job.scan_id AND event.time_us >= job.started_us AND event.state = 'running' "
      "AND event.step <> 'queued' AND event.step <> 'downloading') AS begun_us FROM glint_jobs AS "
      "job WHERE owner = ? AND batch = ? AND batch <> '') AS jobs GROUP BY tier, device, state, "
      "reason ORDER BY tier, device";
  SqlQuery rows(connection, examples > 0 ? kCountsAndTimes : kCounts);
  rows.Bind(Micros(now - BatchState::kRecently), name.owner, name.batch);
  BatchState batch{.now = now};
  while (rows.Next()) {
    const std::string tier = rows.Text(0);
    const std::string device = rows.Text(1);
    if (batch.shares.empty() || batch.shares.back().tier != tier ||
        batch.shares.back().device != device) {
      batch.shares.push_back({.tier = tier, .device = device});
    }
    const JobState state = JobStateNamed(rows.Text(2)).value_or(JobState::kFailed);
    const std::int64_t jobs = rows.Integer(4);
    Add(state, jobs, batch.shares.back().counts);
    Add(state, jobs, batch.counts);
    batch.shares.back().time += std::chrono::microseconds(rows.Integer(5));
    Widen(batch.created, rows, 6, Earlier);
    Widen(batch.started, rows, 7, Earlier);
    Widen(batch.ended, rows, 8, Later);
    if (state != JobState::kCancelled) batch.recently += rows.Integer(9);
    if (state == JobState::kFailed) FailuresOf(batch, rows.Text(3)).jobs += jobs;
  }
  if (batch.counts.failed > 0 && examples > 0) AddExamples(connection, name, examples, batch);
  std::ranges::stable_sort(batch.failures, std::greater(), &BatchFailures::jobs);
  return batch;
}

std::vector<std::pair<std::int64_t, std::string>> ReadJobsOfBatch(SqlConnection& connection,
                                                                  const BatchName& batch,
                                                                  JobState state,
                                                                  std::string_view reason,
                                                                  std::int64_t after, int limit) {
  SqlQuery rows(connection,
                "SELECT number, scan_id FROM glint_jobs WHERE owner = ? AND batch = ? AND batch <> "
                "'' AND state = ? AND number > ? AND (reason = ? OR ? = '') ORDER BY number LIMIT "
                "?");
  rows.Bind(batch.owner, batch.batch, Name(state), after, reason, reason, limit);
  std::vector<std::pair<std::int64_t, std::string>> jobs;
  while (rows.Next()) jobs.emplace_back(rows.Integer(0), rows.Text(1));
  return jobs;
}

std::vector<TierQueue> ReadTiers(SqlConnection& connection, JobTime now) {
  const std::map<std::string, double> paces = ReadPaces(connection);
  SqlQuery rows(connection,
                "SELECT tier, COUNT(*), MIN(created_us) FROM glint_jobs WHERE state = 'queued' "
                "GROUP BY tier ORDER BY tier");
  std::vector<TierQueue> tiers;
  while (rows.Next()) {
    TierQueue tier{.tier = rows.Text(0), .queued = rows.Integer(1)};
    const JobTime oldest{std::chrono::microseconds(rows.Integer(2))};
    tier.oldest = std::max(now - oldest, std::chrono::microseconds(0));
    auto pace = paces.find(tier.tier);
    if (pace == paces.end()) pace = paces.find("");
    if (pace != paces.end()) {
      tier.work = std::chrono::microseconds(
          static_cast<std::int64_t>(static_cast<double>(tier.queued) * pace->second));
    }
    tiers.push_back(std::move(tier));
  }
  return tiers;
}

std::optional<std::vector<TierQueue>> ReadCountedTiers(SqlConnection& connection, JobTime now,
                                                       JobTime since) {
  // What was counted in the future was counted before the clock was set back.
  SqlQuery rows(connection,
                "SELECT tiers.tier, queued, oldest_us, work_us FROM glint_counted LEFT JOIN "
                "glint_tier_counts AS tiers ON TRUE WHERE what = 'tiers' AND at_us >= ? AND at_us "
                "<= ? ORDER BY tiers.tier");
  rows.Bind(Micros(since), Micros(now));
  std::optional<std::vector<TierQueue>> tiers;
  while (rows.Next()) {
    if (!tiers) tiers.emplace();
    if (rows.IsNull(0)) continue;  // nothing waited
    const JobTime oldest{std::chrono::microseconds(rows.Integer(2))};
    tiers->push_back({.tier = rows.Text(0),
                      .queued = rows.Integer(1),
                      .oldest = std::max(now - oldest, std::chrono::microseconds(0)),
                      .work = std::chrono::microseconds(rows.Integer(3))});
  }
  return tiers;
}

void WriteCountedTiers(SqlConnection& connection, const std::vector<TierQueue>& tiers,
                       JobTime now) {
  SqlQuery counted(connection, "UPDATE glint_counted SET at_us = ? WHERE what = 'tiers'");
  counted.Bind(Micros(now));
  counted.Run();
  SqlQuery forget(connection, "DELETE FROM glint_tier_counts");
  forget.Run();
  for (const TierQueue& tier : tiers) {
    SqlQuery insert(connection,
                    "INSERT INTO glint_tier_counts (tier, queued, oldest_us, work_us) VALUES (?, "
                    "?, ?, ?)");
    insert.Bind(tier.tier, tier.queued, Micros(now - tier.oldest), tier.work.count());
    insert.Run();
  }
}

}  // namespace glint
