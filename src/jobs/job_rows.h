// SPDX-License-Identifier: Apache-2.0
// Jobs and events as rows. What writes belongs into a transaction of the caller. Throws what the
// connection throws.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/job_store.h"
#include "jobs/sql_connection.h"

namespace glint {

inline std::int64_t Micros(JobTime time) { return time.time_since_epoch().count(); }

/// What of a row changes while a job runs.
struct JobChange {
  JobState state = JobState::kQueued;
  JobProgress progress;
};

/// Whether a row that is read is about to be changed: until the transaction ends, nobody else may.
enum class RowLock { kNone, kForUpdate };

/// A whole job; nothing when there is none. One that is about to be changed is read without its
/// place in the queue, which takes longer than all else.
std::optional<Job> ReadJob(SqlConnection& connection, std::string_view scan_id,
                           RowLock lock = RowLock::kNone);
/// Jobs with numbers below `below`, newest first, without their results.
/// @return each with its number
std::vector<std::pair<std::int64_t, Job>> ReadJobsBelow(SqlConnection& connection,
                                                        std::int64_t below, int limit,
                                                        const JobFilter& filter);
std::vector<JobEvent> ReadEvents(SqlConnection& connection, std::string_view scan_id,
                                 std::int64_t after_seq, int limit);
JobCounts ReadCounts(SqlConnection& connection);
std::int64_t CountQueued(SqlConnection& connection);
/// More than wait can only be as many as this: told from the ends of the queue, without counting.
std::int64_t QueuedAtMost(SqlConnection& connection);

/// A job and the turn that it has got.
struct TurnedJob {
  const NewJob* job = nullptr;
  std::int64_t turn = 0;
};
/// Inserts queued jobs, each with its first event.
void InsertJobs(SqlConnection& connection, std::span<const TurnedJob> jobs, JobTime now);
/// Queues a job that has ended as if it were new; what was said of its end is forgotten.
void RequeueJob(SqlConnection& connection, const NewJob& job, std::int64_t turn, JobTime now);
/// Sets state and progress of a job that exists, and appends the event that says so.
/// @return the number of the change: greater than every earlier one of any job
std::int64_t AppendEvent(SqlConnection& connection, std::string_view scan_id,
                         const JobChange& change, JobTime now);
/// That the finished result of a running job waits, and the event that says so.
void AppendDelivery(SqlConnection& connection, std::string_view scan_id,
                    const JobDelivery& delivery, JobTime now);
/// AppendEvent for a final state; the progress stays as it is, except that success is "done".
/// @param job     as it was read in this transaction
/// @param notify  see JobLimits
void EndJob(SqlConnection& connection, const Job& job, JobState state, JobTime now,
            const std::vector<std::string>& notify, const std::optional<JobFailure>& failure,
            std::string_view result);

/// Gives a running job back to the queue: no later than the head of its tier, and as an attempt
/// that was not made.
void ReturnJob(SqlConnection& connection, std::string_view scan_id, JobTime now);

/// Asks for the cancellation of a running job.
void MarkCancelled(SqlConnection& connection, std::string_view scan_id);
/// Deletes at most `limit` jobs that ended before a time, and as many of the oldest of those beyond
/// the newest `keep`. @return how many
std::int64_t DeleteEnded(SqlConnection& connection, JobTime before, std::int64_t keep, int limit);

}  // namespace glint
