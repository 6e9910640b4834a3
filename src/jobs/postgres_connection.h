// SPDX-License-Identifier: Apache-2.0
// A thin layer over libpq: one connection, statements with a time limit, and failures as statuses.
// It keeps no state in the session between transactions, so that PgBouncer may lend each
// transaction another one: no named prepared statements, no SET, no session locks.
#pragma once

#include <absl/status/status.h>
#include <libpq-fe.h>

#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/postgres_jobs.h"
#include "jobs/sql_connection.h"

namespace glint {

/// ODBC's code of a time limit that is over, where SQLSTATE has none.
inline constexpr std::string_view kNoAnswer = "HYT00";

/// What the server refused, or that it did not answer.
class PostgresException final : public std::exception {
 public:
  /// @param code  SQLSTATE; empty when the connection failed
  PostgresException(std::string code, std::string message)
      : code_(std::move(code)), message_(std::move(message)) {}
  const std::string& code() const { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  std::string code_;
  std::string message_;
};

/// Where a server is, as libpq reads it (the PG* variables and password files included).
struct PostgresServer {
  std::string url;
  std::chrono::milliseconds answer_within{15'000};  ///< of each statement
};

/// A change of a job that a transaction has made.
struct NotedChange {
  std::string scan_id;
  std::int64_t change = 0;
  JobState state = JobState::kQueued;
};

/// The channel of NOTIFY, and what is said on it: "CHANGE STATE SCAN_ID".
inline constexpr std::string_view kChangesChannel = "glint_jobs";

/// One connection. Throws PostgresException.
class PostgresConnection final : public SqlConnection {
 public:
  using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

  /// Connects: to the first host that answers and may be written to, unless the URL says otherwise.
  explicit PostgresConnection(PostgresServer server);
  ~PostgresConnection() override;
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  std::unique_ptr<SqlStatement> Statement(const char* sql) override;
  std::int64_t NextNumber(std::string_view kind) override;
  std::vector<std::int64_t> NextNumbers(std::string_view kind, std::int64_t count) override;
  void NoteChange(std::string_view scan_id, std::int64_t change, JobState state) override;
  std::int64_t most_counted() const override { return 1'000; }

  void Begin();
  /// Commits and then says the changes. A failure here leaves open whether it was committed.
  /// @return the changes that were noted
  std::vector<NotedChange> Commit();
  /// Ends a transaction that was not committed; without effect when the connection is lost.
  void Rollback() noexcept;
  /// The server's clock: at the start of the transaction, or now outside of one.
  JobTime ServerTime();

  /// Runs statements without values. @return the results of all of them, in order
  std::vector<Result> Execute(const std::string& sql);
  /// @param sql  with "$1" for the first value
  Result Execute(const std::string& sql, const std::vector<const char*>& values,
                 const std::vector<int>& lengths, const std::vector<int>& formats);
  /// The SQL with "$1", "$2", ... in place of each "?"; of a text with static lifetime.
  const std::string& Numbered(const char* sql);

  /// Whether it is of no more use.
  bool lost() const { return lost_ || PQstatus(connection_.get()) == CONNECTION_BAD; }
  int socket() const { return PQsocket(connection_.get()); }
  /// For LISTEN: takes what has arrived on the socket.
  void Receive();
  /// The payload of the next notification; nothing when there is none.
  std::optional<std::string> NextNotification();

 private:
  std::vector<Result> Finish(bool sent);
  void Flush(std::chrono::steady_clock::time_point until);
  void WaitFor(short events, std::chrono::steady_clock::time_point until);
  [[noreturn]] void Lose(const std::string& message);

  const PostgresServer server_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  bool lost_ = false;
  std::optional<JobTime> begun_;  // the server's time, in a transaction
  std::vector<NotedChange> changes_;
  std::map<const char*, std::string> numbered_;
};

/// Whether the same may succeed later, without anybody correcting a setting.
bool MayPass(const PostgresException& failure);
/// Whether a transaction that failed so is to be repeated at once.
bool IsRetryable(const PostgresException& failure);

/// The status that says what the exception being handled means: DISK_FULL, or JOB_STORE_UNAVAILABLE
/// with what to do about it. To be called in a catch block only.
/// @param shown    where the server is
/// @param purpose  what the statement was for
absl::Status StatusOfPostgres(std::string_view shown, std::string_view purpose);

}  // namespace glint
