// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "jobs/change_feed.h"
#include "jobs/sql_jobs.h"
#include "jobs/sqlite_connection.h"
#include "jobs/sqlite_jobs.h"

namespace glint {

/// JobStore over one SQLite file. Writers take turns on one connection and wait for the disk;
/// readers use another, so that they wait for neither.
class SqliteJobs final : public SqlJobs {
 public:
  /// @param boot  which start of the machine leases count from; others' have ended
  SqliteJobs(std::filesystem::path file, const JobLimits& limits, const SqliteJobsOptions& options,
             std::string boot, std::unique_ptr<SqliteConnection> writer,
             std::unique_ptr<SqliteConnection> reader,
             std::unique_ptr<SqliteConnection> feed_reader);

  std::unique_ptr<JobSubscription> Subscribe(std::function<void(const std::string&)> changed,
                                             JobChanges which) override {
    return feed_.Subscribe(std::move(changed), which);
  }

 private:
  absl::Status RunRead(std::string_view purpose, const Work& work) override;
  absl::Status RunWrite(std::string_view purpose, const Work& work) override;
  JobTime Now(SqlConnection& /*connection*/) override { return now_(); }
  JobTime LeaseNow(SqlConnection& /*connection*/) override { return lease_now_(); }
  std::optional<std::string> FindExpired(SqlConnection& connection, std::string_view tier,
                                         RowLock lock) override;
  void OnLeased(SqlConnection& connection, std::string_view scan_id) override;
  std::int64_t RoomInQueue(SqlConnection& connection, std::int64_t /*wanted*/) override {
    return limits().queue_capacity - CountQueued(connection);
  }
  bool writers_take_turns() const override { return true; }
  std::optional<std::int64_t> TakeTurnsBefore(SqlConnection& /*connection*/, const NewJob& /*job*/,
                                              std::int64_t /*count*/) override {
    return std::nullopt;
  }
  void LockOwner(SqlConnection& /*connection*/, std::string_view /*owner*/) override {}

  absl::Status Use(SharedConnection& shared, const std::function<void(SqliteConnection&)>& work);

  const std::filesystem::path file_;
  const std::function<JobTime()> now_;
  const std::function<JobTime()> lease_now_;
  const std::string boot_;
  SharedConnection writer_;
  SharedConnection reader_;
  ChangeFeed feed_;
};

}  // namespace glint
