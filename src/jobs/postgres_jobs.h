// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "jobs/job_store.h"

namespace glint {

/// What a URL of libpq's says that others must or must not see.
struct PostgresUrl {
  std::string shown;     ///< "postgresql://host:port/database", without user and password
  std::string password;  ///< of the URL; empty when it has none
};

/// Errors: INVALID_OPTION
absl::StatusOr<PostgresUrl> ReadPostgresUrl(std::string_view url);

struct PostgresJobsOptions {
  /// Where to LISTEN for changes, where `url` is a PgBouncer's; empty: the same.
  std::string listen_url;
  int connections = 4;  ///< at once, at most, besides the one that listens
  /// How often changes that no NOTIFY has told of are looked for.
  std::chrono::milliseconds poll_interval{1000};
  /// How long a call waits for the answer to one statement.
  std::chrono::milliseconds answer_within{15'000};
  /// How long a call waits for a connection that others use.
  std::chrono::milliseconds connection_within{5'000};
  /// The clock of leases, of what is shown and of ages; the server's when empty.
  std::function<JobTime()> now;
};

/// Jobs in the tables of a PostgreSQL database (14 or later), which any number of workers on any
/// machines share. Makes the tables when they are missing, and brings those of an older glint up to
/// date while its workers go on. Leases count by the server's clock.
///
/// The URL is libpq's: several hosts, sslmode, passfile and all else in it, the PG* variables
/// behind it. A server that is away is waited for: this succeeds, and calls fail with
/// JOB_STORE_UNAVAILABLE until it is there.
/// Errors: INVALID_OPTION for a URL that is none; JOB_STORE_UNAVAILABLE when the server lets nobody
/// in under this name, or the tables belong to a newer glint or may not be made
absl::StatusOr<std::unique_ptr<JobStore>> OpenPostgresJobs(const std::string& url,
                                                           const JobLimits& limits,
                                                           const PostgresJobsOptions& options = {});

}  // namespace glint
