// SPDX-License-Identifier: Apache-2.0
// The tables of jobs in PostgreSQL: those of sqlite_schema.h, with
//
//   glint_job_number, glint_change_number   sequences in place of glint_counters
//   glint_jobs.changed_in                   the transaction of the latest change, which a trigger
//                                           sets: numbers of sequences become visible in another
//                                           order than they are drawn in, and a reader of "all
//                                           above the latest that I saw" would miss some. A
//                                           transaction that is below a snapshot's xmin has ended.
//   glint_schema.readable_from              the oldest version whose workers may use the tables
//                                           as they are now
//
// They are in the first schema of the role's search_path. Row level security is on, without
// policies: only their owner, in whose name all workers log in, sees what is in them, though
// PostgREST should offer the schema to everybody.
#pragma once

namespace glint {

class PostgresConnection;

/// Brings the tables to this version, or leaves them as they are where they are of a newer one that
/// this version may use. Several may do so at once, while others work. Throws PostgresException,
/// and StatusException for tables that are not for this version.
void MigratePostgres(PostgresConnection& connection);

}  // namespace glint
