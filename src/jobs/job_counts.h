// SPDX-License-Identifier: Apache-2.0
// Jobs counted by what they are a part of. Throws what the connection throws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/job_store.h"
#include "jobs/sql_connection.h"

namespace glint {

/// Counts the jobs of a batch; all counts are of one moment.
/// @param examples  of each reason; 0: and no times either
BatchState ReadBatch(SqlConnection& connection, const BatchName& batch, int examples, JobTime now);

/// The ids of jobs of a batch in a state, oldest first, after a number.
/// @param reason  of jobs that failed; empty: any
/// @return each with its number
std::vector<std::pair<std::int64_t, std::string>> ReadJobsOfBatch(SqlConnection& connection,
                                                                  const BatchName& batch,
                                                                  JobState state,
                                                                  std::string_view reason,
                                                                  std::int64_t after, int limit);

/// The tiers in which something waits.
std::vector<TierQueue> ReadTiers(SqlConnection& connection, JobTime now);

/// The same, as WriteCountedTiers kept it. @return nothing when that was before `since`
std::optional<std::vector<TierQueue>> ReadCountedTiers(SqlConnection& connection, JobTime now,
                                                       JobTime since);
/// Keeps the tiers for ReadCountedTiers.
void WriteCountedTiers(SqlConnection& connection, const std::vector<TierQueue>& tiers, JobTime now);

}  // namespace glint
