// SPDX-License-Identifier: Apache-2.0
// A thin layer over SQLiteCpp: cached statements, and failures as statuses.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "jobs/failure_reason.h"
#include "jobs/sql_connection.h"

namespace glint {

/// A connection to one file. Throws SQLite::Exception.
class SqliteConnection final : public SqlConnection {
 public:
  /// Opens a file that exists. @param busy_wait  how long it waits for a lock
  SqliteConnection(const std::filesystem::path& file, std::chrono::milliseconds busy_wait);

  /// Runs statements that give no rows and need no values.
  void Execute(const char* sql) { database_.exec(sql); }
  std::unique_ptr<SqlStatement> Statement(const char* sql) override;
  std::int64_t NextNumber(std::string_view kind) override;
  /// Nothing to say: others look at the file (ChangeFeed).
  void NoteChange(std::string_view /*scan_id*/, std::int64_t /*change*/,
                  JobState /*state*/) override {}
  std::int64_t most_counted() const override { return std::numeric_limits<std::int64_t>::max(); }
  SQLite::Database& database() { return database_; }

 private:
  SQLite::Statement& Prepare(const char* sql);

  SQLite::Database database_;
  std::map<const char*, SQLite::Statement> statements_;
};

/// A connection that threads use in turns.
class SharedConnection {
 public:
  SharedConnection(std::unique_ptr<SqliteConnection> connection, std::chrono::milliseconds max_wait)
      : connection_(std::move(connection)), max_wait_(max_wait) {}

  /// The right to use the connection.
  class Lock {
   public:
    /// Waits for it. Throws StatusException (JOB_STORE_UNAVAILABLE) when that takes too long:
    /// otherwise the waits of many threads for a locked file would add up.
    explicit Lock(SharedConnection& shared);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    SqliteConnection& connection() { return *shared_.connection_; }

   private:
    SharedConnection& shared_;
  };

 private:
  const std::unique_ptr<SqliteConnection> connection_;
  const std::chrono::milliseconds max_wait_;
  Mutex mutex_;
  CondVar freed_;
  bool in_use_ ABSL_GUARDED_BY(mutex_) = false;
};

/// The status that says what the exception being handled means: DISK_FULL, or JOB_STORE_UNAVAILABLE
/// with what to do about it. To be called in a catch block only.
/// @param connection  on which it happened, if there is one
absl::Status StatusOfException(const std::filesystem::path& file, SqliteConnection* connection);

/// A transaction that takes the write lock at once; rolled back unless it is committed.
class SqliteWrite {
 public:
  explicit SqliteWrite(SqliteConnection& connection)
      : transaction_(connection.database(), SQLite::TransactionBehavior::IMMEDIATE) {}
  void Commit() { transaction_.commit(); }

 private:
  SQLite::Transaction transaction_;
};

}  // namespace glint
