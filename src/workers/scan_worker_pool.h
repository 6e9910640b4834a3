// SPDX-License-Identifier: Apache-2.0
// The worker's loop: jobs go in at one end, stored results and final states come out at the other.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "glint/scan.h"
#include "jobs/job_store.h"
#include "workers/deliveries.h"
#include "workers/fleet_membership.h"
#include "workers/tier_order.h"

namespace glint {

class ServiceMetrics;

struct ScanWorkerOptions {
  int count = 1;       ///< scans that run at once, >= 1
  std::string worker;  ///< in whose name jobs are claimed; see jobs/worker_slot.h
  std::chrono::milliseconds lease_time{30'000};  ///< renewed every third of it
  std::chrono::milliseconds poll{1'000};     ///< how often idle workers look without being told to
  std::chrono::milliseconds event_gap{500};  ///< between events of one step, at least
  std::chrono::milliseconds scan_timeout{30 * 60'000};  ///< of one attempt after its download
  /// After so long of measuring a scan is stopped whose frames, as many as its header announces,
  /// would at this speed alone take half as long again as what is left of its time: its end is
  /// foreseen, and its worker free for others. Sooner, by as much as they would take longer.
  std::chrono::milliseconds foresee_after{30'000};
  /// How long a scan that was told to stop may take to do so. One that takes longer counts as
  /// stuck: its job is ended without it, and its worker serves nobody until it comes back.
  std::chrono::milliseconds stop_grace{15'000};
  std::filesystem::path results;  ///< folder of kept results; empty: they are held in memory
  DeliveryOptions delivery;
  TierOptions tiers;
  std::vector<std::string> devices = {"cpu"};  ///< kinds, the one that scans run on first
  /// How often it says that it is there.
  std::chrono::milliseconds report_period = FleetMembership::kPeriod;
  std::string version;  ///< that it says of itself
};

/// What scan workers do with a job; with it they need to know neither the API nor what runs scans.
/// Called from several threads at once. What these throw fails the job with INTERNAL.
struct JobHandler {
  /// Whether scans can be made here and now. While they cannot, nothing is claimed.
  std::function<bool(const CancelToken&)> ready = [](const CancelToken&) { return true; };
  /// The scan that a job asks for. An error ends the job with it.
  std::function<absl::StatusOr<ScanRequest>(const Job& job)> request;
  /// What scans work with; the worker sets `progress` and `before_commit`. The rest must
  /// outlive the pool.
  std::function<ScanDeps(const Job&)> deps;
  /// The bytes for JobStore::Complete. They are stored with the result too (see
  /// completion_marker.h), so they must hold no secret and no URL that expires.
  /// @param objects  what is stored, without the completion marker
  std::function<absl::StatusOr<std::string>(const Job& job, const ScanResult& result,
                                            const std::vector<StoredObject>& objects)>
      result;
  /// Makes the scan. DECODER_UNAVAILABLE gives the job back to the queue.
  std::function<absl::StatusOr<ScanResult>(const ScanRequest&, const ScanDeps&, const CancelToken&)>
      scan = RunScan;
};

/// Threads that claim jobs and make their scans until they are drained. Each job ends exactly once,
/// whatever dies in between: an attempt that finds the complete result of its own request in the
/// store takes it (completion_marker.h), and nothing is published without a valid lease. A finished
/// result is kept on disk until its place has it (deliveries.h): nothing is scanned twice because a
/// store was away.
class ScanWorkerPool {
 public:
  virtual ~ScanWorkerPool() = default;

  /// Claims nothing from now on; scans that run may go on for `grace`, then they are stopped and
  /// their jobs given back to the queue. Returns when all have stopped, or when `stop_grace` is
  /// over. @return whether all have; if not, this object's destructor waits for them, and a process
  /// that must end should do so without it
  virtual bool Drain(std::chrono::milliseconds grace) = 0;

  /// Scans under way.
  virtual int running() const = 0;
  /// Workers whose scan does not react to being stopped. When all are, the worker needs a restart.
  virtual int stuck() const = 0;
  /// Finished results that wait for their place.
  virtual DeliveryStatus deliveries() const = 0;
  /// How long nothing has run and the queue had nothing for this worker; nothing while something
  /// does, or while it is not known.
  virtual std::optional<std::chrono::milliseconds> idle_for() const = 0;
  /// Claims nothing from now on, unless something runs or was claimed within `time`. There is no
  /// moment between a claim and the scan's end in which this stops the pool. @return whether it did
  virtual bool StopIfIdle(std::chrono::milliseconds time) = 0;
};

/// Starts the workers. `jobs` and `metrics` must outlive the pool. The destructor drains without
/// grace.
std::unique_ptr<ScanWorkerPool> StartScanWorkers(JobStore& jobs, JobHandler handler,
                                                 ScanWorkerOptions options,
                                                 ServiceMetrics& metrics);

}  // namespace glint
