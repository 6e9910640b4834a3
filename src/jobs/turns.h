// SPDX-License-Identifier: Apache-2.0
// In which order jobs are claimed (docs/adr/0015-tiers-and-owners.md). What writes belongs into a
// transaction of the caller. Throws what the connection throws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/job_store.h"
#include "jobs/sql_connection.h"

namespace glint {

/// The turn of jobs that wait although it may be theirs: as many of their owner's run, or are about
/// to, as may. Also in the SQL of claims.
inline constexpr std::int64_t kHeldTurn = std::int64_t{1} << 62;

/// The turn of the job of a tier that is claimed next; nothing when none waits.
std::optional<std::int64_t> HeadTurn(SqlConnection& connection, std::string_view tier);

/// The next turn of an owner in a tier: behind its own jobs, and not before the tier's head.
std::int64_t TakeTurn(SqlConnection& connection, std::string_view tier, std::string_view owner);

/// Takes back the latest turns of an owner, for jobs that were not submitted after all; nothing
/// where they are not the latest any more.
void GiveTurnsBack(SqlConnection& connection, std::string_view tier, std::string_view owner,
                   std::int64_t latest, std::int64_t count);

/// That an owner has jobs in a tier, though none of them has a turn yet.
void NoteTier(SqlConnection& connection, std::string_view tier, std::string_view owner);

/// All tiers in which jobs were ever submitted, the one without a name among them; sorted.
std::vector<std::string> KnownTiers(SqlConnection& connection);

/// Jobs of an owner that run or have a turn.
std::int64_t CountAdmitted(SqlConnection& connection, std::string_view owner);
/// Jobs of an owner that wait, those that are held included; counted up to `most`.
std::int64_t CountWaiting(SqlConnection& connection, std::string_view owner, std::int64_t most);
/// Gives turns to held jobs of an owner, the oldest first, until as many as may have one or run.
void AdmitHeld(SqlConnection& connection, std::string_view owner, std::int64_t running_quota);

/// Adds frames to what an owner has used on a day.
void AddUsage(SqlConnection& connection, const Job& job, JobTime now);
/// Frames that an owner has used on the day.
std::int64_t FramesUsed(SqlConnection& connection, std::string_view owner, JobTime now);

/// Notes that a worker is there.
void WriteWorker(SqlConnection& connection, const RegisteredWorker& worker, JobTime now);
/// Those that were heard of within the last day, by name.
std::vector<RegisteredWorker> ReadWorkers(SqlConnection& connection, JobTime now);
/// Forgets workers and days that nobody asks for any more.
void ForgetOld(SqlConnection& connection, JobTime now);

}  // namespace glint
