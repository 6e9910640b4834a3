// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "jobs/sqlite_jobs_store.h"

namespace glint {

SqliteJobs::SqliteJobs(std::filesystem::path file, const JobLimits& limits,
                       const SqliteJobsOptions& options, std::string boot,
                       std::unique_ptr<SqliteConnection> writer,
                       std::unique_ptr<SqliteConnection> reader,
                       std::unique_ptr<SqliteConnection> feed_reader)
    : SqlJobs(limits),
      file_(std::move(file)),
      now_(options.now),
      lease_now_(options.lease_now),
      boot_(std::move(boot)),
      writer_(std::move(writer), options.busy_wait),
      reader_(std::move(reader), options.busy_wait),
      feed_(std::move(feed_reader), options.poll_interval) {}

absl::Status SqliteJobs::Use(SharedConnection& shared,
                             const std::function<void(SqliteConnection&)>& work) {
  try {
    SharedConnection::Lock lock(shared);
    try {
      work(lock.connection());
      return absl::OkStatus();
    } catch (...) {
      return StatusOfException(file_, &lock.connection());
    }
  } catch (...) {
    return StatusOfException(file_, nullptr);
  }
}

absl::Status SqliteJobs::RunRead(std::string_view /*purpose*/, const Work& work) {
  return Use(reader_, work);
}

absl::Status SqliteJobs::RunWrite(std::string_view /*purpose*/, const Work& work) {
  return Use(writer_, [&](SqliteConnection& connection) {
    SqliteWrite write(connection);
    work(connection);
    write.Commit();
    feed_.Wake();
  });
}

std::optional<std::string> SqliteJobs::FindExpired(SqlConnection& connection, std::string_view tier,
                                                   RowLock /*lock*/) {
  SqlQuery expired(connection,
                   "SELECT scan_id FROM glint_jobs WHERE state = 'running' AND tier = ? AND "
                   "(lease_until_us <= ? OR lease_boot IS NOT ?) ORDER BY number LIMIT 1");
  expired.Bind(tier, Micros(lease_now_()), boot_);
  if (!expired.Next()) return std::nullopt;
  return expired.Text(0);
}

void SqliteJobs::OnLeased(SqlConnection& connection, std::string_view scan_id) {
  SqlQuery update(connection, "UPDATE glint_jobs SET lease_boot = ? WHERE scan_id = ?");
  update.Bind(boot_, scan_id);
  update.Run();
}

}  // namespace glint
