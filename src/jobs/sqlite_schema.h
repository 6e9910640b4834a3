// SPDX-License-Identifier: Apache-2.0
// The tables of the job store. They use only what SQLite and PostgreSQL share (BIGINT, TEXT, DOUBLE
// PRECISION, bytes), so that a PostgreSQL store can use the same ones:
//
//   glint_schema    which migrations were applied, and when
//   glint_counters  "job": number of the newest job; "change": number of the latest change
//                   (sequences in PostgreSQL)
//   glint_jobs      a row per job. `number` is the order of arrival and of the queue; `change`
//   grows
//                   with each visible change, so that a reader finds what is new to it
//                   (LISTEN/NOTIFY in PostgreSQL). `fence` is the number of the change that was
//                   the latest claim. Times are microseconds since 1970, UTC.
//   glint_events    what happened to a job, by sequence number
//   glint_turns     per tier and owner, the latest turn that was given out: the jobs of a tier are
//                   claimed in the order of `turn`, and each owner gets one turn after the other,
//                   none before those of the tier's head (docs/adr/0015-tiers-and-owners.md)
//   glint_usage     frames that an owner's scans took, per day, in parts that do not wait for each
//                   other
//   glint_workers   who works here, and was seen when
//
// `scan_id` is unique among all owners (see JobId).
//
// A claim is one transaction: pick the row (in PostgreSQL FOR UPDATE SKIP LOCKED; SQLite has one
// writer at a time), raise `fence`, set the lease. Every later write of the worker names the
// fence in its WHERE clause, and a write that hits no row tells it that the lease is lost.
#pragma once

namespace glint {

class SqliteConnection;

/// Throws StatusException for a file that is not ours or of a newer version, and SQLite::Exception.
void CheckSchema(SqliteConnection& connection);

/// Brings the file to the latest version. Throws as CheckSchema.
void MigrateSchema(SqliteConnection& connection, long long now_us);

}  // namespace glint
