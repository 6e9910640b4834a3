// SPDX-License-Identifier: Apache-2.0
// A thin layer over SQLiteCpp: cached statements, bound in order, and failures as statuses. Inside
// this folder failures travel as exceptions, up to CatchAsStatus.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "jobs/failure_reason.h"

namespace glint {

/// A failure that is not SQLite's on its way to CatchAsStatus.
class StatusException final : public std::exception {
 public:
  explicit StatusException(absl::Status status) : status_(std::move(status)) {}
  const absl::Status& status() const { return status_; }
  const char* what() const noexcept override { return "StatusException"; }

 private:
  absl::Status status_;
};

/// One connection; serves one thread at a time. Throws SQLite::Exception.
class SqliteConnection {
 public:
  /// Opens a file that exists. @param busy_wait  how long it waits for a lock
  SqliteConnection(const std::filesystem::path& file, std::chrono::milliseconds busy_wait);

  /// Runs statements that give no rows and need no values.
  void Execute(const char* sql) { database_.exec(sql); }
  /// The prepared statement of a text with static lifetime.
  SQLite::Statement& Prepare(const char* sql);
  SQLite::Database& database() { return database_; }

 private:
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

/// One use of a prepared statement. Values are bound in order; the statement is reset at the end,
/// so that it holds no lock longer than its use.
class SqliteQuery {
 public:
  /// @param sql  with static lifetime
  SqliteQuery(SqliteConnection& connection, const char* sql)
      : statement_(connection.Prepare(sql)) {}
  ~SqliteQuery();
  SqliteQuery(const SqliteQuery&) = delete;
  SqliteQuery& operator=(const SqliteQuery&) = delete;

  template <class... Values>
  void Bind(const Values&... values) {
    (BindNext(values), ...);
  }
  /// Binds bytes instead of text.
  void BindBytes(std::string_view bytes);

  /// Goes to the next row. @return whether there is one
  bool Next() { return statement_.executeStep(); }
  /// Runs to the end. @return rows that were changed
  int Run() { return statement_.exec(); }

  std::int64_t Integer(int column) const { return statement_.getColumn(column).getInt64(); }
  double Number(int column) const { return statement_.getColumn(column).getDouble(); }
  /// Text or bytes; empty for NULL.
  std::string Text(int column) const { return statement_.getColumn(column).getString(); }
  bool IsNull(int column) const { return statement_.isColumnNull(column); }

 private:
  void BindNext(std::string_view text);
  void BindNext(const char* text) { BindNext(std::string_view(text)); }
  void BindNext(const std::string& text) { BindNext(std::string_view(text)); }
  void BindNext(double value) { statement_.bind(++bound_, value); }
  template <std::integral Integer>
  void BindNext(Integer value) {
    statement_.bind(++bound_, static_cast<std::int64_t>(value));
  }
  template <class Value>
  void BindNext(const std::optional<Value>& value) {
    if (value) {
      BindNext(*value);
    } else {
      statement_.bind(++bound_);
    }
  }

  SQLite::Statement& statement_;
  int bound_ = 0;
};

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
