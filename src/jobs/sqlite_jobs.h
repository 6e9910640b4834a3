// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "jobs/job_store.h"

namespace glint {

struct SqliteJobsOptions {
  /// How long a call waits for a file that another process has locked.
  std::chrono::milliseconds busy_wait{5000};
  /// How often changes by other processes are looked for.
  std::chrono::milliseconds poll_interval{250};
  /// The clock of what is shown and of ages; the system's when empty.
  std::function<JobTime()> now;
  /// The clock of leases, which nobody sets: what all processes of the machine have in common since
  /// it was started. `now` when that is given, else CLOCK_BOOTTIME.
  std::function<JobTime()> lease_now;
};

/// Jobs in one SQLite file on a local disk (WAL; SQLite's locks do not work on network folders).
/// Makes the file, readable by its owner only, and its folder when they are missing; brings the
/// file of an older glint up to date. Several processes may open it.
/// Errors: JOB_STORE_UNAVAILABLE when it cannot be opened, is damaged, is no file of glint's, or
/// belongs to a newer glint; DISK_FULL
absl::StatusOr<std::unique_ptr<JobStore>> OpenSqliteJobs(const std::filesystem::path& file,
                                                         const JobLimits& limits,
                                                         SqliteJobsOptions options = {});

}  // namespace glint
