// SPDX-License-Identifier: Apache-2.0
#include "jobs/turns.h"

#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "jobs/job_rows.h"

namespace glint {
namespace {

constexpr std::chrono::days kWorkersKnown(1);
constexpr std::int64_t kDaysKnown = 31;
/// Of a day's frames: ends of scans must not wait for each other.
constexpr std::size_t kUsageParts = 16;

std::int64_t DayOf(JobTime now) {
  return std::chrono::floor<std::chrono::days>(now).time_since_epoch().count();
}

/// The held job of an owner that has waited longest; nothing when there is none that is free.
struct HeldJob {
  std::string scan_id;
  std::string tier;
  std::int64_t number = std::numeric_limits<std::int64_t>::max();
};

std::optional<HeldJob> OldestHeld(SqlConnection& connection, std::string_view owner) {
  std::vector<std::string> tiers;
  {
    SqlQuery rows(connection, "SELECT tier FROM glint_turns WHERE owner = ?");
    rows.Bind(owner);
    while (rows.Next()) tiers.push_back(rows.Text(0));
  }
  std::optional<HeldJob> oldest;
  for (const std::string& tier : tiers) {
    // Who cancels one has its row, and may wait for the owner's lock: it is left to it.
    SqlQuery row(connection,
                 "SELECT scan_id, number FROM glint_jobs WHERE state = 'queued' AND owner = ? AND "
                 "tier = ? AND turn = 4611686018427387904 ORDER BY number LIMIT 1 FOR UPDATE SKIP "
                 "LOCKED");
    row.Bind(owner, tier);
    if (row.Next() && (!oldest || row.Integer(1) < oldest->number)) {
      oldest = HeldJob{row.Text(0), tier, row.Integer(1)};
    }
  }
  return oldest;
}

}  // namespace

std::optional<std::int64_t> HeadTurn(SqlConnection& connection, std::string_view tier) {
  SqlQuery head(connection,
                "SELECT turn FROM glint_jobs WHERE state = 'queued' AND tier = ? AND turn < "
                "4611686018427387904 ORDER BY turn, number LIMIT 1");
  head.Bind(tier);
  if (!head.Next()) return std::nullopt;
  return head.Integer(0);
}

std::int64_t TakeTurn(SqlConnection& connection, std::string_view tier, std::string_view owner) {
  // In an empty tier turns go on after the latest: an owner that has had many has used them up.
  SqlQuery turn(connection,
                "INSERT INTO glint_turns (tier, owner, latest) VALUES (?, ?, COALESCE((SELECT turn "
                "FROM glint_jobs WHERE state = 'queued' AND tier = ? AND turn < "
                "4611686018427387904 ORDER BY turn, number LIMIT 1), (SELECT MAX(latest) FROM "
                "glint_turns WHERE tier = ?), 0)) ON CONFLICT (tier, owner) DO UPDATE SET latest = "
                "CASE WHEN glint_turns.latest < excluded.latest THEN excluded.latest ELSE "
                "glint_turns.latest + 1 END RETURNING latest");
  turn.Bind(tier, owner, tier, tier);
  turn.Next();
  const std::int64_t taken = turn.Integer(0);
  turn.Next();
  return taken;
}

void GiveTurnsBack(SqlConnection& connection, std::string_view tier, std::string_view owner,
                   std::int64_t latest, std::int64_t count) {
  SqlQuery back(connection,
                "UPDATE glint_turns SET latest = latest - ? WHERE tier = ? AND owner = ? AND "
                "latest = ?");
  back.Bind(count, tier, owner, latest);
  back.Run();
}

void NoteTier(SqlConnection& connection, std::string_view tier, std::string_view owner) {
  SqlQuery note(connection,
                "INSERT INTO glint_turns (tier, owner, latest) VALUES (?, ?, 0) ON CONFLICT (tier, "
                "owner) DO NOTHING");
  note.Bind(tier, owner);
  note.Run();
}

std::vector<std::string> KnownTiers(SqlConnection& connection) {
  SqlQuery rows(connection, "SELECT tier FROM glint_turns UNION SELECT ''");
  std::vector<std::string> tiers;
  while (rows.Next()) tiers.push_back(rows.Text(0));
  std::ranges::sort(tiers);  // the server's order may be a language's
  return tiers;
}

std::int64_t CountAdmitted(SqlConnection& connection, std::string_view owner) {
  SqlQuery count(connection,
                 "SELECT (SELECT COUNT(*) FROM glint_jobs WHERE state = 'running' AND owner = ?) + "
                 "(SELECT COUNT(*) FROM glint_jobs WHERE state = 'queued' AND owner = ? AND turn < "
                 "4611686018427387904)");
  count.Bind(owner, owner);
  count.Next();
  return count.Integer(0);
}

std::int64_t CountWaiting(SqlConnection& connection, std::string_view owner, std::int64_t most) {
  SqlQuery count(connection,
                 "SELECT COUNT(*) FROM (SELECT 1 FROM glint_jobs WHERE state = 'queued' AND owner "
                 "= ? LIMIT ?) AS waiting");
  count.Bind(owner, most);
  count.Next();
  return count.Integer(0);
}

void AdmitHeld(SqlConnection& connection, std::string_view owner, std::int64_t running_quota) {
  for (std::int64_t admitted = CountAdmitted(connection, owner); admitted < running_quota;
       ++admitted) {
    const auto held = OldestHeld(connection, owner);
    if (!held) return;
    const std::int64_t turn = TakeTurn(connection, held->tier, owner);
    const std::int64_t change = connection.NextNumber("change");
    SqlQuery update(connection, "UPDATE glint_jobs SET turn = ?, change = ? WHERE scan_id = ?");
    update.Bind(turn, change, held->scan_id);
    update.Run();
    connection.NoteChange(held->scan_id, change, JobState::kQueued);
  }
}

void AddUsage(SqlConnection& connection, const Job& job, JobTime now) {
  std::int64_t frames = 0;
  {
    SqlQuery most(connection, "SELECT MAX(frames) FROM glint_events WHERE scan_id = ?");
    most.Bind(job.scan_id);
    if (most.Next() && !most.IsNull(0)) frames = most.Integer(0);
  }
  if (frames == 0) return;
  const auto part = static_cast<std::int64_t>(std::hash<std::string>()(job.scan_id) % kUsageParts);
  SqlQuery add(connection,
               "INSERT INTO glint_usage (owner, day, part, frames) VALUES (?, ?, ?, ?) ON CONFLICT "
               "(owner, day, part) DO UPDATE SET frames = glint_usage.frames + excluded.frames");
  add.Bind(job.owner, DayOf(now), part, frames);
  add.Run();
}

std::int64_t FramesUsed(SqlConnection& connection, std::string_view owner, JobTime now) {
  SqlQuery sum(connection,
               "SELECT CAST(COALESCE(SUM(frames), 0) AS BIGINT) FROM glint_usage WHERE owner = ? "
               "AND day = ?");
  sum.Bind(owner, DayOf(now));
  sum.Next();
  return sum.Integer(0);
}

void WriteWorker(SqlConnection& connection, const RegisteredWorker& worker, JobTime now) {
  SqlQuery write(connection,
                 "INSERT INTO glint_workers (name, version, devices, tiers, lanes, running, "
                 "started_us, seen_us, gone) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) "
                 "DO UPDATE SET version = excluded.version, devices = excluded.devices, tiers = "
                 "excluded.tiers, lanes = excluded.lanes, running = excluded.running, started_us = "
                 "excluded.started_us, seen_us = excluded.seen_us, gone = excluded.gone");
  write.Bind(worker.name, worker.version, absl::StrJoin(worker.devices, ","),
             absl::StrJoin(worker.tiers, ","), worker.lanes, worker.running, Micros(worker.started),
             Micros(now), worker.gone ? 1 : 0);
  write.Run();
}

std::vector<RegisteredWorker> ReadWorkers(SqlConnection& connection, JobTime now) {
  SqlQuery rows(connection,
                "SELECT name, version, devices, tiers, lanes, running, started_us, seen_us, gone "
                "FROM glint_workers WHERE seen_us > ? ORDER BY name");
  rows.Bind(Micros(now - kWorkersKnown));
  std::vector<RegisteredWorker> workers;
  while (rows.Next()) {
    const JobTime seen{std::chrono::microseconds(rows.Integer(7))};
    workers.push_back(
        {.name = rows.Text(0),
         .version = rows.Text(1),
         .devices = absl::StrSplit(rows.Text(2), ',', absl::SkipEmpty()),
         .tiers = absl::StrSplit(rows.Text(3), ','),
         .lanes = static_cast<int>(rows.Integer(4)),
         .running = static_cast<int>(rows.Integer(5)),
         .started = JobTime(std::chrono::microseconds(rows.Integer(6))),
         .gone = rows.Integer(8) != 0,
         .seen = seen,
         .unseen_for = std::chrono::duration_cast<std::chrono::milliseconds>(now - seen)});
  }
  return workers;
}

void ForgetOld(SqlConnection& connection, JobTime now) {
  SqlQuery workers(connection, "DELETE FROM glint_workers WHERE seen_us <= ?");
  workers.Bind(Micros(now - kWorkersKnown));
  workers.Run();
  SqlQuery days(connection, "DELETE FROM glint_usage WHERE day < ?");
  days.Bind(DayOf(now) - kDaysKnown);
  days.Run();
}

}  // namespace glint
