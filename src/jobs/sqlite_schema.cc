// SPDX-License-Identifier: Apache-2.0
#include "jobs/sqlite_schema.h"

#include <fmt/format.h>

#include <array>

#include "jobs/sqlite_connection.h"

namespace glint {
namespace {

/// One entry per version; entries are never changed, only added.
constexpr std::array kMigrations = {
    R"sql(
CREATE TABLE glint_counters (
  name TEXT PRIMARY KEY,
  value BIGINT NOT NULL
);
INSERT INTO glint_counters (name, value) VALUES ('job', 0), ('change', 0);
CREATE TABLE glint_jobs (
  scan_id TEXT PRIMARY KEY,
  number BIGINT NOT NULL UNIQUE,
  change BIGINT NOT NULL UNIQUE,
  request BLOB NOT NULL,
  shown_url TEXT NOT NULL,
  state TEXT NOT NULL,
  step TEXT NOT NULL,
  fraction DOUBLE PRECISION NOT NULL,
  frames BIGINT NOT NULL,
  frames_of BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  bytes_of BIGINT NOT NULL,
  reason TEXT,
  message TEXT,
  result BLOB,
  created_us BIGINT NOT NULL,
  started_us BIGINT,
  ended_us BIGINT,
  attempts BIGINT NOT NULL,
  cancel_requested BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  lease_until_us BIGINT,
  worker TEXT
);
CREATE INDEX glint_jobs_by_state ON glint_jobs (state, number);
CREATE INDEX glint_jobs_by_end ON glint_jobs (ended_us);
CREATE TABLE glint_events (
  scan_id TEXT NOT NULL REFERENCES glint_jobs (scan_id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  time_us BIGINT NOT NULL,
  state TEXT NOT NULL,
  step TEXT NOT NULL,
  fraction DOUBLE PRECISION NOT NULL,
  frames BIGINT NOT NULL,
  frames_of BIGINT NOT NULL,
  bytes BIGINT NOT NULL,
  bytes_of BIGINT NOT NULL,
  PRIMARY KEY (scan_id, seq)
);
)sql",
    // Leases count from the start of the machine: lease_until_us is CLOCK_BOOTTIME's.
    "ALTER TABLE glint_jobs ADD COLUMN lease_boot TEXT",
    // Ends of scans that others have not been told of.
    R"sql(
CREATE TABLE glint_outbox (
  scan_id TEXT NOT NULL REFERENCES glint_jobs (scan_id) ON DELETE CASCADE,
  target TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  next_us BIGINT NOT NULL,
  PRIMARY KEY (scan_id, target)
);
CREATE INDEX glint_outbox_by_time ON glint_outbox (target, next_us);
)sql",
    // Finished results that wait for the place where results go.
    R"sql(
ALTER TABLE glint_jobs ADD COLUMN delivery_attempt BIGINT NOT NULL DEFAULT 0;
ALTER TABLE glint_jobs ADD COLUMN delivery_because TEXT;
)sql",
    // Tiers, owners and batches.
    R"sql(
ALTER TABLE glint_jobs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
ALTER TABLE glint_jobs ADD COLUMN tier TEXT NOT NULL DEFAULT '';
ALTER TABLE glint_jobs ADD COLUMN batch TEXT NOT NULL DEFAULT '';
ALTER TABLE glint_jobs ADD COLUMN turn BIGINT NOT NULL DEFAULT 0;
ALTER TABLE glint_jobs ADD COLUMN running_quota BIGINT NOT NULL DEFAULT 0;
ALTER TABLE glint_jobs ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE glint_jobs ADD COLUMN placed TEXT NOT NULL DEFAULT '';
CREATE INDEX glint_jobs_by_turn ON glint_jobs (tier, turn, number) WHERE state = 'queued';
CREATE INDEX glint_jobs_of_owner_by_turn ON glint_jobs (owner, tier, turn, number)
  WHERE state = 'queued';
CREATE INDEX glint_jobs_of_owner ON glint_jobs (owner, number);
CREATE INDEX glint_jobs_of_batch ON glint_jobs (owner, batch, state, number) WHERE batch <> '';
CREATE TABLE glint_turns (
  tier TEXT NOT NULL,
  owner TEXT NOT NULL,
  latest BIGINT NOT NULL,
  PRIMARY KEY (tier, owner)
);
CREATE TABLE glint_usage (
  owner TEXT NOT NULL,
  day BIGINT NOT NULL,
  part BIGINT NOT NULL,
  frames BIGINT NOT NULL,
  PRIMARY KEY (owner, day, part)
);
CREATE TABLE glint_workers (
  name TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  devices TEXT NOT NULL,
  tiers TEXT NOT NULL,
  lanes BIGINT NOT NULL,
  running BIGINT NOT NULL,
  started_us BIGINT NOT NULL,
  seen_us BIGINT NOT NULL,
  gone BIGINT NOT NULL
);
UPDATE glint_jobs SET turn = number WHERE state = 'queued';
INSERT INTO glint_turns (tier, owner, latest)
  SELECT '', '', MAX(number) FROM glint_jobs WHERE state = 'queued' HAVING COUNT(*) > 0;
)sql",
    R"sql(
ALTER TABLE glint_jobs ADD COLUMN trace TEXT NOT NULL DEFAULT '';
)sql",
};

constexpr long long kLatest = std::size(kMigrations);

/// 0 for an empty file.
long long SchemaVersion(SqliteConnection& connection) {
  // One statement is one snapshot: between two, another process may migrate the empty file.
  SqlQuery tables(connection,
                  "SELECT COUNT(*), COALESCE(SUM(name = 'glint_schema'), 0) FROM sqlite_master "
                  "WHERE type = 'table'");
  tables.Next();
  if (tables.Integer(0) == 0) return 0;
  if (tables.Integer(1) == 0) {
    throw StatusException(Error(ServiceReason::kJobStoreUnavailable,
                                "the file is a database of another program; name another file"));
  }
  SqlQuery latest(connection, "SELECT COALESCE(MAX(version), 0) FROM glint_schema");
  latest.Next();
  const long long version = latest.Integer(0);
  if (version <= kLatest) return version;
  throw StatusException(
      Error(ServiceReason::kJobStoreUnavailable,
            fmt::format("the file has schema version {}, and this glint knows up to {}; use the "
                        "glint that wrote it, or a newer one",
                        version, kLatest)));
}

}  // namespace

void CheckSchema(SqliteConnection& connection) { SchemaVersion(connection); }

void MigrateSchema(SqliteConnection& connection, long long now_us) {
  SqliteWrite write(connection);
  const long long version = SchemaVersion(connection);
  if (version == kLatest) return;
  connection.Execute(
      "CREATE TABLE IF NOT EXISTS glint_schema (version BIGINT PRIMARY KEY, applied_us BIGINT NOT "
      "NULL)");
  for (long long next = version + 1; next <= kLatest; ++next) {
    connection.Execute(kMigrations[static_cast<std::size_t>(next - 1)]);
    SqlQuery applied(connection, "INSERT INTO glint_schema (version, applied_us) VALUES (?, ?)");
    applied.Bind(next, now_us);
    applied.Run();
  }
  write.Commit();
}

}  // namespace glint
