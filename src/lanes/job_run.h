// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "jobs/job_store.h"
#include "lanes/claim_keeper.h"
#include "lanes/lane_pool.h"

namespace glint {

/// One attempt at a job, from its claim to its end.
class JobRun {
 public:
  /// All arguments but the job must outlive this.
  JobRun(JobStore& jobs, const LaneWork& work, ServiceMetrics& metrics, ClaimKeeper& keeper,
         JobStore::Claimed claimed, int lane)
      : jobs_(jobs),
        work_(work),
        metrics_(metrics),
        keeper_(keeper),
        job_(std::move(claimed.job)),
        given_up_(std::move(claimed.given_up)),
        lane_(lane) {}

  /// Takes the result that is there already, or else scans unless the job was given up, and ends
  /// the job. Throws nothing.
  /// @param give_up  ends the attempts to tell a job store that is not available how it ended; the
  /// lease then ends by itself, and the next attempt finds the result
  void Run(const std::stop_token& give_up);

 private:
  absl::Status Scan();
  absl::StatusOr<std::optional<std::string>> TakeEarlierResult(const ScanRequest& request,
                                                               ObjectStore& store) const;
  absl::Status ScanAndPublish(const ScanRequest& request, ScanDeps deps);
  absl::Status Seal(const ScanReport& report, const ScanTiming& timing,
                    const std::vector<StoredObject>& objects, Publication& set);
  absl::Status Explain(const absl::Status& failure) const;
  absl::Status TellEnd(const absl::Status& scanned);
  void Report(const absl::Status& scanned, double seconds);

  JobStore& jobs_;
  const LaneWork& work_;
  ServiceMetrics& metrics_;
  ClaimKeeper& keeper_;
  const Job job_;
  const std::optional<JobFailure> given_up_;
  const int lane_;
  std::string result_;  // for Complete
};

}  // namespace glint
