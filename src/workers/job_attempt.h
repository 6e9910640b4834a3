// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "jobs/job_store.h"
#include "workers/deliveries.h"
#include "workers/kept_results.h"
#include "workers/lease_keeper.h"
#include "workers/scan_worker_pool.h"

namespace glint {

/// What the attempts of a pool's workers share. All must outlive them.
struct AttemptDeps {
  JobStore& jobs;
  const JobHandler& handler;
  ServiceMetrics& metrics;
  const KeptResults& kept_results;
  Deliveries& deliveries;
};

/// One attempt at a job, from its lease to its end: the scan, whose result is kept on this machine,
/// and the delivery of the result. One whose place is away for the moment is left to `deliveries`.
class JobAttempt {
 public:
  /// All arguments but the job must outlive this.
  JobAttempt(const AttemptDeps& deps, LeaseKeeper& keeper, JobStore::Claimed claimed)
      : jobs_(deps.jobs),
        handler_(deps.handler),
        metrics_(deps.metrics),
        kept_results_(deps.kept_results),
        deliveries_(deps.deliveries),
        keeper_(keeper),
        job_(std::move(claimed.job)),
        attempts_exhausted_(std::move(claimed.attempts_exhausted)) {}

  /// Takes the result that is there already, or else scans unless the job's attempts are exhausted,
  /// and ends the job. Throws nothing.
  /// @param shutdown  ends the repetitions that tell a job store that is not available how it
  /// ended; the lease then ends by itself, and the next attempt finds the result
  void Run(const std::stop_token& shutdown);

 private:
  absl::Status Scan();
  absl::StatusOr<std::optional<std::string>> FindEarlierResult(const ScanRequest& request,
                                                               ObjectStore& store) const;
  absl::Status ScanAndKeep(const ScanRequest& request, ScanDeps deps);
  absl::Status MarkComplete(const ScanResult& result, const std::vector<StoredObject>& objects,
                            Publication& set);
  absl::Status DeliverKept(ObjectStore& store, const std::string& prefix);
  absl::Status ExplainTimeout(const absl::Status& failure) const;
  bool GivesBack(const absl::Status& scanned) const;
  absl::Status RecordOutcome(const absl::Status& scanned);
  void ReportOutcome(const absl::Status& scanned, double seconds);

  JobStore& jobs_;
  const JobHandler& handler_;
  ServiceMetrics& metrics_;
  const KeptResults& kept_results_;
  Deliveries& deliveries_;
  LeaseKeeper& keeper_;
  const Job job_;
  const std::optional<JobFailure> attempts_exhausted_;
  const ObjectStore* store_ = nullptr;  // known once the scan has begun
  std::string result_;                  // for Complete
  std::shared_ptr<const KeptResult> kept_;
  std::optional<Deliveries::Waiting> waiting_;  // set when the result is left to `deliveries_`
};

}  // namespace glint
