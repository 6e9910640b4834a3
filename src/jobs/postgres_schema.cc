// SPDX-License-Identifier: Apache-2.0
#include "jobs/postgres_schema.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "jobs/postgres_connection.h"

namespace glint {
namespace {

/// What brings the tables to the next version.
struct Migration {
  const char* sql;
  std::int64_t readable_from;  ///< the oldest version whose workers may use them afterwards
};

/// One entry per version; entries are never changed, only added.
constexpr std::array kTableMigrations = {
    Migration{R"sql(
CREATE SEQUENCE glint_job_number;
CREATE SEQUENCE glint_change_number;
CREATE TABLE glint_jobs (
  scan_id TEXT PRIMARY KEY,
  number BIGINT NOT NULL UNIQUE,
  change BIGINT NOT NULL,
  changed_in BIGINT NOT NULL,
  request BYTEA NOT NULL,
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
  result BYTEA,
  created_us BIGINT NOT NULL,
  started_us BIGINT,
  ended_us BIGINT,
  attempts BIGINT NOT NULL,
  cancel_requested BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  fence BIGINT NOT NULL,
  lease_until_us BIGINT,
  worker TEXT,
  delivery_attempt BIGINT NOT NULL DEFAULT 0,
  delivery_because TEXT
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX glint_jobs_by_state ON glint_jobs (state, number);
CREATE INDEX glint_jobs_waiting ON glint_jobs (number) WHERE state = 'queued';
CREATE INDEX glint_jobs_by_end ON glint_jobs (ended_us) WHERE ended_us IS NOT NULL;
CREATE INDEX glint_jobs_by_lease ON glint_jobs (lease_until_us) WHERE state = 'running';
CREATE INDEX glint_jobs_by_change ON glint_jobs (changed_in);
CREATE FUNCTION glint_note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_in := pg_current_xact_id()::text::bigint;
  RETURN NEW;
END $$;
CREATE TRIGGER glint_jobs_added BEFORE INSERT ON glint_jobs
  FOR EACH ROW EXECUTE FUNCTION glint_note_change();
CREATE TRIGGER glint_jobs_changed BEFORE UPDATE OF change ON glint_jobs
  FOR EACH ROW EXECUTE FUNCTION glint_note_change();
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
CREATE TABLE glint_outbox (
  scan_id TEXT NOT NULL REFERENCES glint_jobs (scan_id) ON DELETE CASCADE,
  target TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  next_us BIGINT NOT NULL,
  PRIMARY KEY (scan_id, target)
);
CREATE INDEX glint_outbox_by_time ON glint_outbox (target, next_us);
ALTER TABLE glint_schema ENABLE ROW LEVEL SECURITY;
ALTER TABLE glint_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE glint_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE glint_outbox ENABLE ROW LEVEL SECURITY;
)sql",
              1},
    // Tiers, owners and batches. An older worker would show each owner the scans of all, and take
    // those of tiers that it knows nothing of.
    Migration{R"sql(
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
ALTER TABLE glint_turns ENABLE ROW LEVEL SECURITY;
ALTER TABLE glint_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE glint_workers ENABLE ROW LEVEL SECURITY;
)sql",
              2},
    // What waits in each tier, as one worker has counted it for all.
    Migration{R"sql(
CREATE TABLE glint_counted (
  what TEXT PRIMARY KEY,
  at_us BIGINT NOT NULL
);
INSERT INTO glint_counted (what, at_us) VALUES ('tiers', 0);
CREATE TABLE glint_tier_counts (
  tier TEXT PRIMARY KEY,
  queued BIGINT NOT NULL,
  oldest_us BIGINT NOT NULL,
  work_us BIGINT NOT NULL
);
ALTER TABLE glint_counted ENABLE ROW LEVEL SECURITY;
ALTER TABLE glint_tier_counts ENABLE ROW LEVEL SECURITY;
)sql",
              2},
    // The trace that a job is a part of.
    Migration{R"sql(
ALTER TABLE glint_jobs ADD COLUMN trace TEXT NOT NULL DEFAULT '';
)sql",
              2},
};

constexpr std::int64_t kLatestTables = std::size(kTableMigrations);
/// Of the advisory lock of those who migrate: "glint" in ASCII.
constexpr std::int64_t kMigrationLock = 0x676c696e74;

struct Version {
  std::int64_t version = 0;  ///< 0: there are no tables
  std::int64_t readable_from = 0;
};

Version ReadVersion(PostgresConnection& connection) {
  // From a table: to_regclass alone answers from what the session knew before it waited for a lock.
  SqlQuery table(connection, "SELECT 1 FROM pg_class WHERE oid = to_regclass('glint_schema')");
  if (!table.Next()) return {};
  SqlQuery latest(connection,
                  "SELECT version, readable_from FROM glint_schema ORDER BY version DESC LIMIT 1");
  if (!latest.Next()) return {};
  return {latest.Integer(0), latest.Integer(1)};
}

/// @return whether nothing is left to do
bool IsUsable(const Version& found) {
  if (found.readable_from > kLatestTables) {
    throw StatusException(
        Error(ServiceReason::kJobStoreUnavailable,
              fmt::format("the tables have schema version {}, which workers from version {} on may "
                          "use, and this glint knows up to {}; use a newer glint",
                          found.version, found.readable_from, kLatestTables)));
  }
  return found.version >= kLatestTables;
}

}  // namespace

void MigratePostgres(PostgresConnection& connection) {
  if (IsUsable(ReadVersion(connection))) return;
  connection.Begin();
  // Who waits for a lock on a table makes all others wait behind it: better to try again.
  connection.Execute("SET LOCAL lock_timeout = '10s'");
  connection.Execute(fmt::format("SELECT pg_advisory_xact_lock({})", kMigrationLock));
  const Version found = ReadVersion(connection);
  if (IsUsable(found)) return connection.Rollback();
  connection.Execute(
      "CREATE TABLE IF NOT EXISTS glint_schema (version BIGINT PRIMARY KEY, readable_from BIGINT "
      "NOT NULL, applied_us BIGINT NOT NULL)");
  for (std::int64_t next = found.version + 1; next <= kLatestTables; ++next) {
    const Migration& migration = kTableMigrations[static_cast<std::size_t>(next - 1)];
    connection.Execute(migration.sql);
    SqlQuery applied(
        connection,
        "INSERT INTO glint_schema (version, readable_from, applied_us) VALUES (?, ?, ?)");
    applied.Bind(next, migration.readable_from, connection.ServerTime().time_since_epoch().count());
    applied.Run();
  }
  connection.Commit();
}

}  // namespace glint
