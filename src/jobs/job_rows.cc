// SPDX-License-Identifier: Apache-2.0
#include "jobs/job_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "jobs/turns.h"

namespace glint {
namespace {

/// The columns of a job without its result, in the order in which RowToJob reads them.
constexpr std::string_view kJobColumns =
    "number, scan_id, request, shown_url, state, step, fraction, frames, frames_of, bytes, "
    "bytes_of, reason, message, created_us, started_us, ended_us, attempts, cancel_requested, "
    "last_seq, delivery_attempt, delivery_because, owner, tier, batch, device, placed, "
    "running_quota, trace";

JobTime TimeOf(std::int64_t micros) { return JobTime(std::chrono::microseconds(micros)); }

std::optional<JobTime> TimeAt(const SqlQuery& row, int column) {
  if (row.IsNull(column)) return std::nullopt;
  return TimeOf(row.Integer(column));
}

ScanStep StepNamed(std::string_view name) {
  for (int step = 0; step < static_cast<int>(ScanStep::kDone); ++step) {
    if (Name(static_cast<ScanStep>(step)) == name) return static_cast<ScanStep>(step);
  }
  return ScanStep::kDone;
}

/// @param first  the column of `step`; the others follow
JobProgress ProgressAt(const SqlQuery& row, int first) {
  return {.step = StepNamed(row.Text(first)),
          .fraction = row.Number(first + 1),
          .frames = row.Integer(first + 2),
          .frames_of = row.Integer(first + 3),
          .bytes = row.Integer(first + 4),
          .bytes_of = row.Integer(first + 5)};
}

JobState StateAt(const SqlQuery& row, int column) {
  return JobStateNamed(row.Text(column)).value_or(JobState::kFailed);
}

Job RowToJob(const SqlQuery& row) {
  Job job{.scan_id = row.Text(1),
          .request = row.Text(2),
          .shown_url = row.Text(3),
          .owner = row.Text(21),
          .tier = row.Text(22),
          .batch = row.Text(23),
          .state = StateAt(row, 4),
          .progress = ProgressAt(row, 5),
          .created = TimeOf(row.Integer(13)),
          .started = TimeAt(row, 14),
          .ended = TimeAt(row, 15),
          .attempts = static_cast<int>(row.Integer(16)),
          .running_quota = row.Integer(26),
          .device = row.Text(24),
          .placing = row.Text(25),
          .trace = row.Text(27),
          .cancel_requested = row.Integer(17) != 0,
          .last_seq = row.Integer(18)};
  if (row.Integer(19) > 0) {
    job.delivery = JobDelivery{static_cast<int>(row.Integer(19)), row.Text(20)};
  }
  if (!row.IsNull(11)) {
    job.failure = JobFailure{.reason = FailureReasonNamed(row.Text(11)).value_or(Reason::kInternal),
                             .message = row.Text(12)};
  }
  return job;
}

/// Where a queued job stands among its owner's in its tier.
struct Place {
  std::int64_t number = 0;
  std::int64_t turn = 0;
};

/// How many jobs of its owner wait before a queued one.
std::int64_t CountQueuedBefore(SqlConnection& connection, const Job& job, const Place& place) {
  const std::int64_t most = connection.most_counted();
  std::int64_t counted = 0;
  {
    SqlQuery count(connection,
                   "SELECT COUNT(*) FROM (SELECT 1 FROM glint_jobs WHERE state = 'queued' AND "
                   "owner = ? AND tier = ? AND (turn, number) < (?, ?) ORDER BY turn DESC, number "
                   "DESC LIMIT ?) AS ahead");
    count.Bind(job.owner, job.tier, place.turn, place.number, most);
    count.Next();
    counted = count.Integer(0);
  }
  if (counted < most || place.turn >= kHeldTurn) return counted;
  // Each of an owner's jobs in a tier has a turn of its own.
  SqlQuery first(connection,
                 "SELECT turn FROM glint_jobs WHERE state = 'queued' AND owner = ? AND tier = ? "
                 "ORDER BY turn, number LIMIT 1");
  first.Bind(job.owner, job.tier);
  return std::max(counted, place.turn - (first.Next() ? first.Integer(0) : place.turn));
}

void InsertEvent(SqlConnection& connection, std::string_view scan_id, std::int64_t seq,
                 const JobChange& change, JobTime now) {
  SqlQuery insert(connection,
                  "INSERT INTO glint_events (scan_id, seq, time_us, state, step, fraction, "
                  "frames, frames_of, bytes, bytes_of) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const JobProgress& progress = change.progress;
  insert.Bind(scan_id, seq, Micros(now), Name(change.state), Name(progress.step), progress.fraction,
              progress.frames, progress.frames_of, progress.bytes, progress.bytes_of);
  insert.Run();
}

/// Rows that one statement inserts, where there are so many.
constexpr std::size_t kRowsAtOnce = 50;

/// @param row  the values of one
std::string InsertStatement(std::string_view into, std::string_view row, std::size_t rows) {
  std::string sql = fmt::format("INSERT INTO {} VALUES {}", into, row);
  for (std::size_t i = 1; i < rows; ++i) sql += fmt::format(", {}", row);
  return sql;
}

/// Inserts one job or kRowsAtOnce of them, each with its first event.
/// @param numbers,changes  theirs
void InsertRows(SqlConnection& connection, std::span<const TurnedJob> jobs,
                std::span<const std::int64_t> numbers, std::span<const std::int64_t> changes,
                JobTime now) {
  constexpr std::string_view kJobs =
      "glint_jobs (scan_id, number, change, request, shown_url, state, step, fraction, frames, "
      "frames_of, bytes, bytes_of, created_us, attempts, cancel_requested, last_seq, fence, owner, "
      "tier, batch, turn, running_quota, trace)";
  constexpr std::string_view kJob =
      "(?, ?, ?, ?, ?, 'queued', 'queued', 0, 0, 0, 0, 0, ?, 0, 0, 1, 0, ?, ?, ?, ?, ?, ?)";
  constexpr std::string_view kEvents =
      "glint_events (scan_id, seq, time_us, state, step, fraction, frames, frames_of, bytes, "
      "bytes_of)";
  constexpr std::string_view kEvent = "(?, 1, ?, 'queued', 'queued', 0, 0, 0, 0, 0)";
  static const std::string one = InsertStatement(kJobs, kJob, 1);
  static const std::string many = InsertStatement(kJobs, kJob, kRowsAtOnce);
  static const std::string one_event = InsertStatement(kEvents, kEvent, 1);
  static const std::string many_events = InsertStatement(kEvents, kEvent, kRowsAtOnce);
  const bool alone = jobs.size() == 1;
  {
    SqlQuery insert(connection, (alone ? one : many).c_str());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const NewJob& job = *jobs[i].job;
      insert.Bind(job.scan_id, numbers[i], changes[i]);
      insert.BindBytes(job.request);
      insert.Bind(job.shown_url, Micros(now), job.owner, job.tier, job.batch, jobs[i].turn,
                  job.quotas.running, job.trace);
    }
    insert.Run();
  }
  SqlQuery events(connection, (alone ? one_event : many_events).c_str());
  for (const TurnedJob& turned : jobs) events.Bind(turned.job->scan_id, Micros(now));
  events.Run();
}

/// The statements of lists, by which of owner (1), state (2) and batch (4) they filter.
std::vector<std::string> ListStatements() {
  std::vector<std::string> statements;
  for (unsigned filter = 0; filter < 8; ++filter) {
    statements.push_back(fmt::format(
        "SELECT {}, turn FROM glint_jobs AS job WHERE number < ?{}{}{} ORDER BY number DESC LIMIT "
        "?",
        kJobColumns, (filter & 1U) != 0 ? " AND owner = ?" : "",
        (filter & 2U) != 0 ? " AND state = ?" : "",
        (filter & 4U) != 0 ? " AND batch = ? AND batch <> ''" : ""));
  }
  return statements;
}

}  // namespace

std::optional<Job> ReadJob(SqlConnection& connection, std::string_view scan_id, RowLock lock) {
  static const std::string read =
      fmt::format("SELECT {}, turn, result FROM glint_jobs AS job WHERE scan_id = ?", kJobColumns);
  static const std::string changed = read + " FOR UPDATE";
  SqlQuery row(connection, (lock == RowLock::kForUpdate ? changed : read).c_str());
  row.Bind(scan_id);
  if (!row.Next()) return std::nullopt;
  Job job = RowToJob(row);
  job.result = row.Text(29);
  if (job.state == JobState::kQueued && lock == RowLock::kNone) {
    job.queue_position =
        CountQueuedBefore(connection, job, {.number = row.Integer(0), .turn = row.Integer(28)});
  }
  return job;
}

std::vector<std::pair<std::int64_t, Job>> ReadJobsBelow(SqlConnection& connection,
                                                        std::int64_t below, int limit,
                                                        const JobFilter& filter) {
  // Each filter is a statement of its own, so that each has the plan of its index.
  static const std::vector<std::string> statements = ListStatements();
  const std::size_t which =
      (filter.owner ? 1U : 0U) + (filter.state ? 2U : 0U) + (filter.batch.empty() ? 0U : 4U);
  SqlQuery rows(connection, statements[which].c_str());
  rows.Bind(below);
  if (filter.owner) rows.Bind(*filter.owner);
  if (filter.state) rows.Bind(Name(*filter.state));
  if (!filter.batch.empty()) rows.Bind(filter.batch);
  rows.Bind(limit);
  std::vector<std::pair<std::int64_t, Job>> jobs;
  // Where every job of an owner is listed, the latest is counted and the others from there.
  std::map<std::pair<std::string, std::string>, std::int64_t> before;
  while (rows.Next()) {
    const Place place{.number = rows.Integer(0), .turn = rows.Integer(28)};
    Job job = RowToJob(rows);
    if (job.state == JobState::kQueued) {
      const auto known = before.find({job.owner, job.tier});
      job.queue_position = known == before.end() || !filter.batch.empty()
                               ? CountQueuedBefore(connection, job, place)
                               : std::max<std::int64_t>(0, known->second - 1);
      before[{job.owner, job.tier}] = job.queue_position;
    }
    jobs.emplace_back(place.number, std::move(job));
  }
  return jobs;
}

std::vector<JobEvent> ReadEvents(SqlConnection& connection, std::string_view scan_id,
                                 std::int64_t after_seq, int limit) {
  SqlQuery rows(connection,
                "SELECT seq, time_us, state, step, fraction, frames, frames_of, bytes, bytes_of "
                "FROM glint_events WHERE scan_id = ? AND seq > ? ORDER BY seq LIMIT ?");
  rows.Bind(scan_id, after_seq, limit);
  std::vector<JobEvent> events;
  while (rows.Next()) {
    events.push_back({.seq = rows.Integer(0),
                      .time = TimeOf(rows.Integer(1)),
                      .state = StateAt(rows, 2),
                      .progress = ProgressAt(rows, 3)});
  }
  return events;
}

JobCounts ReadCounts(SqlConnection& connection) {
  SqlQuery rows(connection, "SELECT state, COUNT(*) FROM glint_jobs GROUP BY state");
  JobCounts counts;
  while (rows.Next()) {
    const std::int64_t count = rows.Integer(1);
    switch (StateAt(rows, 0)) {
      case JobState::kQueued:
        counts.queued = count;
        break;
      case JobState::kRunning:
        counts.running = count;
        break;
      case JobState::kSucceeded:
        counts.succeeded = count;
        break;
      case JobState::kFailed:
        counts.failed = count;
        break;
      case JobState::kCancelled:
        counts.cancelled = count;
        break;
    }
  }
  return counts;
}

std::int64_t CountQueued(SqlConnection& connection) {
  SqlQuery count(connection, "SELECT COUNT(*) FROM glint_jobs WHERE state = 'queued'");
  count.Next();
  return count.Integer(0);
}

std::int64_t QueuedAtMost(SqlConnection& connection) {
  SqlQuery ends(
      connection,
      "SELECT (SELECT number FROM glint_jobs WHERE state = 'queued' ORDER BY number LIMIT "
      "1), (SELECT number FROM glint_jobs WHERE state = 'queued' ORDER BY number DESC "
      "LIMIT 1)");
  if (!ends.Next() || ends.IsNull(0) || ends.IsNull(1)) return 0;
  return ends.Integer(1) + 1 - ends.Integer(0);
}

void InsertJobs(SqlConnection& connection, std::span<const TurnedJob> jobs, JobTime now) {
  if (jobs.empty()) return;
  const auto numbers = connection.NextNumbers("job", std::ssize(jobs));
  const auto changes = connection.NextNumbers("change", std::ssize(jobs));
  for (std::size_t first = 0; first < jobs.size();) {
    const std::size_t rows = jobs.size() - first < kRowsAtOnce ? 1 : kRowsAtOnce;
    InsertRows(connection, jobs.subspan(first, rows), std::span(numbers).subspan(first, rows),
               std::span(changes).subspan(first, rows), now);
    first += rows;
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    connection.NoteChange(jobs[i].job->scan_id, changes[i], JobState::kQueued);
  }
}

void RequeueJob(SqlConnection& connection, const NewJob& job, std::int64_t turn, JobTime now) {
  for (const char* sql : {"DELETE FROM glint_events WHERE scan_id = ?",
                          "DELETE FROM glint_outbox WHERE scan_id = ?"}) {
    SqlQuery forget(connection, sql);
    forget.Bind(job.scan_id);
    forget.Run();
  }
  const std::int64_t number = connection.NextNumber("job");
  AppendEvent(connection, job.scan_id, {.state = JobState::kQueued}, now);
  SqlQuery update(connection,
                  "UPDATE glint_jobs SET number = ?, reason = NULL, message = NULL, result = "
                  "NULL, started_us = NULL, ended_us = NULL, attempts = 0, cancel_requested = 0, "
                  "lease_until_us = NULL, worker = NULL, device = '', placed = '', tier = ?, "
                  "batch = ?, turn = ?, running_quota = ? WHERE scan_id = ?");
  update.Bind(number, job.tier, job.batch, turn, job.quotas.running, job.scan_id);
  update.Run();
}

std::int64_t AppendEvent(SqlConnection& connection, std::string_view scan_id,
                         const JobChange& change, JobTime now) {
  const std::int64_t number = connection.NextNumber("change");
  std::int64_t seq = 0;
  {
    SqlQuery update(connection,
                    "UPDATE glint_jobs SET change = ?, last_seq = last_seq + 1, state = ?, step "
                    "= ?, fraction = ?, frames = ?, frames_of = ?, bytes = ?, bytes_of = ? WHERE "
                    "scan_id = ? RETURNING last_seq");
    const JobProgress& progress = change.progress;
    update.Bind(number, Name(change.state), Name(progress.step), progress.fraction, progress.frames,
                progress.frames_of, progress.bytes, progress.bytes_of, scan_id);
    update.Next();
    seq = update.Integer(0);
    update.Next();
  }
  InsertEvent(connection, scan_id, seq, change, now);
  connection.NoteChange(scan_id, number, change.state);
  return number;
}

void AppendDelivery(SqlConnection& connection, std::string_view scan_id,
                    const JobDelivery& delivery, JobTime now) {
  JobChange change{.state = JobState::kRunning,
                   .progress = ReadJob(connection, scan_id).value().progress};
  change.progress.step = ScanStep::kUploading;
  AppendEvent(connection, scan_id, change, now);
  SqlQuery update(connection,
                  "UPDATE glint_jobs SET delivery_attempt = ?, delivery_because = ? WHERE "
                  "scan_id = ?");
  update.Bind(delivery.attempt, delivery.because, scan_id);
  update.Run();
}

void EndJob(SqlConnection& connection, const Job& job, JobState state, JobTime now,
            const std::vector<std::string>& notify, const std::optional<JobFailure>& failure,
            std::string_view result) {
  const std::string& scan_id = job.scan_id;
  JobChange change{.state = state, .progress = job.progress};
  if (state == JobState::kSucceeded) {
    change.progress.step = ScanStep::kDone;
    change.progress.fraction = 1;
  }
  AppendEvent(connection, scan_id, change, now);
  std::optional<std::string_view> reason;
  std::optional<std::string_view> message;
  if (failure) {
    reason = Info(failure->reason).name;
    message = failure->message;
  }
  SqlQuery update(connection,
                  "UPDATE glint_jobs SET ended_us = ?, reason = ?, message = ?, result = ?, "
                  "lease_until_us = NULL, worker = NULL, delivery_attempt = 0, delivery_because "
                  "= NULL WHERE scan_id = ?");
  update.Bind(Micros(now), reason, message);
  update.BindBytes(result);
  update.Bind(scan_id);
  update.Run();
  constexpr std::chrono::seconds kAtOnce(30);  // in which it is told without the outbox
  for (const std::string& target : notify) {
    SqlQuery insert(connection,
                    "INSERT INTO glint_outbox (scan_id, target, attempts, next_us) VALUES (?, ?, "
                    "0, ?) ON CONFLICT (scan_id, target) DO UPDATE SET attempts = 0, next_us = "
                    "excluded.next_us");
    insert.Bind(scan_id, target, Micros(now + kAtOnce));
    insert.Run();
  }
}

void ReturnJob(SqlConnection& connection, std::string_view scan_id, JobTime now) {
  const Job job = ReadJob(connection, scan_id).value();
  const std::int64_t head = HeadTurn(connection, job.tier).value_or(0);
  AppendEvent(connection, scan_id, {.state = JobState::kQueued}, now);
  // Not before the others' heads, or its owner would get turns that others have had.
  SqlQuery update(connection,
                  "UPDATE glint_jobs SET attempts = attempts - 1, lease_until_us = NULL, worker = "
                  "NULL, started_us = NULL, device = '', placed = '', turn = CASE WHEN turn < ? "
                  "THEN ? ELSE turn END WHERE scan_id = ?");
  update.Bind(head, head, scan_id);
  update.Run();
}

void MarkCancelled(SqlConnection& connection, std::string_view scan_id) {
  const std::int64_t change = connection.NextNumber("change");
  SqlQuery update(connection,
                  "UPDATE glint_jobs SET cancel_requested = 1, change = ? WHERE scan_id = ?");
  update.Bind(change, scan_id);
  update.Run();
  connection.NoteChange(scan_id, change, JobState::kRunning);
}

std::int64_t DeleteEnded(SqlConnection& connection, JobTime before, std::int64_t keep, int limit) {
  SqlQuery old(connection,
               "DELETE FROM glint_jobs WHERE scan_id IN (SELECT scan_id FROM glint_jobs WHERE "
               "ended_us < ? ORDER BY ended_us LIMIT ? FOR UPDATE SKIP LOCKED)");
  old.Bind(Micros(before), limit);
  const std::int64_t deleted = old.Run();
  SqlQuery many(connection,
                "DELETE FROM glint_jobs WHERE scan_id IN (SELECT scan_id FROM glint_jobs WHERE "
                "ended_us IS NOT NULL ORDER BY ended_us DESC, number DESC LIMIT ? OFFSET ? FOR "
                "UPDATE SKIP LOCKED)");
  many.Bind(limit, keep);
  return deleted + many.Run();
}

}  // namespace glint
