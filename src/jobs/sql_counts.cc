// SPDX-License-Identifier: Apache-2.0
// What SqlJobs knows of many jobs at a time.
#include <utility>

#include "jobs/job_counts.h"
#include "jobs/sql_jobs.h"

namespace glint {

absl::StatusOr<BatchState> SqlJobs::Batch(const BatchName& batch, int examples) {
  BatchState state;
  GLINT_RETURN_IF_ERROR(RunRead("counting a batch", [&](SqlConnection& connection) {
    state = ReadBatch(connection, batch, examples, Now(connection));
  }));
  return state;
}

absl::StatusOr<JobStore::BatchPage> SqlJobs::JobsOfBatch(const BatchName& batch, JobState state,
                                                         std::string_view reason,
                                                         std::int64_t after, int limit) {
  BatchPage page;
  GLINT_RETURN_IF_ERROR(RunRead("listing a batch", [&](SqlConnection& connection) {
    page = {};
    for (auto& [number, scan_id] :
         ReadJobsOfBatch(connection, batch, state, reason, after, limit)) {
      page.scan_ids.push_back(std::move(scan_id));
      page.next = number;
    }
  }));
  return page;
}

absl::StatusOr<std::vector<TierQueue>> SqlJobs::Tiers() {
  std::vector<TierQueue> tiers;
  GLINT_RETURN_IF_ERROR(RunRead("counting tiers", [&](SqlConnection& connection) {
    tiers = ReadTiers(connection, Now(connection));
  }));
  return tiers;
}

}  // namespace glint
