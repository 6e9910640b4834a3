// SPDX-License-Identifier: Apache-2.0
// What several users of one queue may rely on, by threads on stores of one database.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "jobs/job_store.h"

namespace glint {

/// Two threads a store make that many jobs from their claims to their ends: each is claimed once.
void ExpectEachJobClaimedOnce(const std::vector<std::unique_ptr<JobStore>>& stores, int jobs);

/// Eight threads submit the same ten jobs: ten are made.
void ExpectOneJobOfEachId(const std::vector<std::unique_ptr<JobStore>>& stores);

/// Six threads submit more than the ten jobs that the queue may have: ten are accepted, and the
/// others told that it is full. @param each  jobs of one thread
void ExpectTenJobsAccepted(const std::vector<std::unique_ptr<JobStore>>& stores, int each);

}  // namespace glint
