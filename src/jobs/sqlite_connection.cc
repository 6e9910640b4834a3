// SPDX-License-Identifier: Apache-2.0
#include "jobs/sqlite_connection.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <new>

namespace glint {
namespace {

/// The system's error of the last failed access to the file or its write-ahead log.
/// @param which  SQLITE_FCNTL_FILE_POINTER or SQLITE_FCNTL_JOURNAL_POINTER
int LastSystemError(sqlite3* database, int which) {
  sqlite3_file* file = nullptr;
  int error = 0;
  if (sqlite3_file_control(database, "main", which, &file) == SQLITE_OK && file != nullptr &&
      file->pMethods != nullptr) {
    file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &error);
  }
  return error;
}

bool MeansNoSpace(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

/// SQLite tells "no space" (SQLITE_FULL) from other failed writes, but not every way of having
/// none: a quota or a limit on file sizes is a failed write with the system's error beside it.
bool IsOutOfSpace(const SQLite::Exception& failure, SqliteConnection* connection) {
  if (failure.getErrorCode() == SQLITE_FULL) return true;
  if (failure.getErrorCode() != SQLITE_IOERR || connection == nullptr) return false;
  sqlite3* database = connection->database().getHandle();
  return MeansNoSpace(LastSystemError(database, SQLITE_FCNTL_FILE_POINTER)) ||
         MeansNoSpace(LastSystemError(database, SQLITE_FCNTL_JOURNAL_POINTER));
}

absl::Status Unavailable(const std::filesystem::path& file, std::string_view what) {
  return Error(ServiceReason::kJobStoreUnavailable,
               fmt::format("jobs in {}: {}", file.string(), what));
}

absl::Status StatusOfSqlite(const std::filesystem::path& file, const SQLite::Exception& failure,
                            SqliteConnection* connection) {
  if (IsOutOfSpace(failure, connection)) {
    return Error(Reason::kDiskFull,
                 fmt::format("jobs in {}: no space is left; make some, or move the state folder",
                             file.string()));
  }
  switch (failure.getErrorCode()) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Unavailable(file, "another process keeps the file locked; try again");
    case -1:  // SQLiteCpp's own
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Unavailable(file,
                         fmt::format("the file is damaged or no job file ({}); move it away "
                                     "(its jobs are lost) or put a backup in its place",
                                     failure.getErrorCode() == -1 ? "a row is gone that must be "
                                                                    "there"
                                                                  : failure.what()));
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
      return Unavailable(file, fmt::format("the file or its folder cannot be opened for writing "
                                           "({}); check the rights",
                                           failure.what()));
    default:
      return Unavailable(file, fmt::format("{} (SQLite error {})", failure.what(),
                                           failure.getExtendedErrorCode()));
  }
}

/// One use of a cached statement, which is reset at its end.
class SqliteStatement final : public SqlStatement {
 public:
  explicit SqliteStatement(SQLite::Statement& statement) : statement_(statement) {}
  ~SqliteStatement() override {
    statement_.tryReset();
    statement_.clearBindings();
  }
  SqliteStatement(const SqliteStatement&) = delete;
  SqliteStatement& operator=(const SqliteStatement&) = delete;

  void BindInteger(std::int64_t value) override { statement_.bind(++bound_, value); }
  void BindNumber(double value) override { statement_.bind(++bound_, value); }
  void BindText(std::string_view text) override { statement_.bind(++bound_, std::string(text)); }
  void BindBytes(std::string_view bytes) override {
    statement_.bind(++bound_, bytes.empty() ? "" : bytes.data(), static_cast<int>(bytes.size()));
  }
  void BindNull() override { statement_.bind(++bound_); }

  bool Next() override { return statement_.executeStep(); }
  std::int64_t Run() override { return statement_.exec(); }

  std::int64_t Integer(int column) const override {
    return statement_.getColumn(column).getInt64();
  }
  double Number(int column) const override { return statement_.getColumn(column).getDouble(); }
  std::string Text(int column) const override { return statement_.getColumn(column).getString(); }
  bool IsNull(int column) const override { return statement_.isColumnNull(column); }

 private:
  SQLite::Statement& statement_;
  int bound_ = 0;
};

/// The one writer of a file has locked all of its rows.
std::string WithoutRowLocks(std::string sql) {
  for (const std::string_view clause : {" FOR UPDATE SKIP LOCKED", " FOR UPDATE"}) {
    for (auto at = sql.find(clause); at != std::string::npos; at = sql.find(clause)) {
      sql.erase(at, clause.size());
    }
  }
  return sql;
}

}  // namespace

absl::Status StatusOfException(const std::filesystem::path& file, SqliteConnection* connection) {
  try {
    throw;
  } catch (const StatusException& failure) {
    return failure.status();
  } catch (const SQLite::Exception& failure) {
    return StatusOfSqlite(file, failure, connection);
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, "memory is out while reading jobs");
  } catch (const std::exception& failure) {
    return Unavailable(file, failure.what());
  }
}

SqliteConnection::SqliteConnection(const std::filesystem::path& file,
                                   std::chrono::milliseconds busy_wait)
    : database_(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX,
                static_cast<int>(busy_wait.count())) {}

SQLite::Statement& SqliteConnection::Prepare(const char* sql) {
  const auto known = statements_.find(sql);
  if (known != statements_.end()) return known->second;
  return statements_.try_emplace(sql, database_, WithoutRowLocks(sql)).first->second;
}

std::unique_ptr<SqlStatement> SqliteConnection::Statement(const char* sql) {
  return std::make_unique<SqliteStatement>(Prepare(sql));
}

std::int64_t SqliteConnection::NextNumber(std::string_view kind) {
  SqlQuery next(*this,
                "UPDATE glint_counters SET value = value + 1 WHERE name = ? RETURNING value");
  next.Bind(kind);
  next.Next();
  const std::int64_t value = next.Integer(0);
  next.Next();  // the statement must end before its transaction may
  return value;
}

SharedConnection::Lock::Lock(SharedConnection& shared) : shared_(shared) {
  const MutexLock lock(shared.mutex_);
  if (!shared.freed_.WaitFor(
          shared.mutex_, shared.max_wait_,
          [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(shared.mutex_) { return !shared.in_use_; })) {
    throw StatusException(Error(ServiceReason::kJobStoreUnavailable,
                                "the job file is busy, or locked by another process; try again"));
  }
  shared.in_use_ = true;
}

SharedConnection::Lock::~Lock() {
  const MutexLock lock(shared_.mutex_);
  shared_.in_use_ = false;
  shared_.freed_.NotifyOne();
}

}  // namespace glint
