// SPDX-License-Identifier: Apache-2.0
// How a job file is made and opened.
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>

#include "base/status_macros.h"
#include "jobs/job_rows.h"
#include "jobs/sqlite_jobs.h"
#include "jobs/sqlite_jobs_store.h"
#include "jobs/sqlite_schema.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

absl::Status CannotMake(const fs::path& file, int error) {
  return Error(ServiceReason::kJobStoreUnavailable,
               fmt::format("jobs in {}: the file cannot be made: {}", file.string(),
                           std::generic_category().message(error)));
}

/// Makes an empty file that only its owner reads (URLs with signatures are kept in it), if there is
/// none; SQLite gives its side files the same rights.
absl::Status MakeFile(const fs::path& file) {
  std::error_code failed;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), failed);
  if (failed) return CannotMake(file, failed.value());
  const int made = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (made < 0) return CannotMake(file, errno);
  close(made);
  return absl::OkStatus();
}

/// The change to WAL needs the file for itself and does not wait for it, unlike all else.
void UseWal(SqliteConnection& connection, std::chrono::milliseconds wait) {
  const auto until = Clock::now() + wait;
  while (true) {
    try {
      const auto mode = connection.database().execAndGet("PRAGMA journal_mode = WAL");
      if (mode.getString() == "wal") return;
      throw StatusException(Error(ServiceReason::kJobStoreUnavailable,
                                  "the file system cannot share memory between processes; put the "
                                  "state folder on a local disk"));
    } catch (const SQLite::Exception& failure) {
      if (failure.getErrorCode() != SQLITE_BUSY || Clock::now() >= until) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

std::unique_ptr<SqliteConnection> Connect(const fs::path& file, const SqliteJobsOptions& options) {
  auto connection = std::make_unique<SqliteConnection>(file, options.busy_wait);
  CheckSchema(*connection);  // before anything is changed
  UseWal(*connection, options.busy_wait);
  // FULL: a commit is on the disk before it returns; NORMAL in WAL mode would not wait for it.
  connection->Execute("PRAGMA synchronous = FULL");
  connection->Execute("PRAGMA foreign_keys = ON");
  connection->Execute("PRAGMA trusted_schema = OFF");
  connection->Execute("PRAGMA journal_size_limit = 67108864");
  return connection;
}

JobTime SystemNow() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

JobTime SinceBoot() {
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return JobTime(
      std::chrono::microseconds(std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1'000));
}

/// Which start of the machine this is; "" where the system does not say.
std::string BootId() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

}  // namespace

absl::StatusOr<std::unique_ptr<JobStore>> OpenSqliteJobs(const fs::path& file,
                                                         const JobLimits& limits,
                                                         SqliteJobsOptions options) {
  if (!options.lease_now) options.lease_now = options.now ? options.now : SinceBoot;
  if (!options.now) options.now = SystemNow;
  GLINT_RETURN_IF_ERROR(MakeFile(file));
  try {
    std::unique_ptr<SqliteConnection> writer = Connect(file, options);
    MigrateSchema(*writer, Micros(options.now()));
    return std::make_unique<SqliteJobs>(file, limits, options, BootId(), std::move(writer),
                                        Connect(file, options), Connect(file, options));
  } catch (...) {
    return In(fmt::format("opening {}", file.string()), StatusOfException(file, nullptr));
  }
}

}  // namespace glint
