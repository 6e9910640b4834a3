// SPDX-License-Identifier: Apache-2.0
#include "workers/scan_worker_pool.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "observe/metrics.h"
#include "workers/job_attempt.h"
#include "workers/lease_keeper.h"

namespace glint {
namespace {

using Clock = std::chrono::steady_clock;

RegisteredWorker AsRegistered(const ScanWorkerOptions& options) {
  return {.name = options.worker,
          .version = options.version,
          .devices = options.devices,
          .tiers = options.tiers.tiers,
          .lanes = options.count,
          .started = std::chrono::time_point_cast<std::chrono::microseconds>(
              std::chrono::system_clock::now())};
}

class ScanWorkers final : public ScanWorkerPool {
 public:
  ScanWorkers(JobStore& jobs, JobHandler handler, ScanWorkerOptions options,
              ServiceMetrics& metrics)
      : jobs_(jobs),
        handler_(std::move(handler)),
        options_(std::move(options)),
        metrics_(metrics),
        kept_results_(options_.results),
        tiers_(options_.tiers, options_.devices, Clock::now()),
        deliveries_(jobs_, options_.delivery, options_.lease_time, metrics_) {
    kept_results_.Sweep(jobs_);
    subscriptions_.push_back(
        jobs_.Subscribe([this](const std::string& scan_id) { OnChange(scan_id); }));
    subscriptions_.push_back(
        jobs_.Subscribe([this](const std::string&) { OnClaimable(); }, JobChanges::kClaimable));
    membership_.emplace(
        jobs_, AsRegistered(options_), [this] { return running(); }, tiers_.needs_fleet(),
        options_.report_period);
    for (int i = 0; i < options_.count; ++i) {
      threads_.emplace_back([this] { Serve(); });
    }
  }

  ~ScanWorkers() override {
    Drain(std::chrono::milliseconds(0));
    shutdown_.request_stop();
    threads_.clear();  // joins
    membership_.reset();
    deliveries_.Stop();
    subscriptions_.clear();  // not under the lock: their callbacks take it
  }

  bool Drain(std::chrono::milliseconds grace) override;

  int running() const override {
    const MutexLock lock(mutex_);
    return static_cast<int>(keepers_.size());
  }
  int stuck() const override {
    const MutexLock lock(mutex_);
    return static_cast<int>(
        std::ranges::count_if(keepers_, [](const auto* keeper) { return keeper->abandoned(); }));
  }
  DeliveryStatus deliveries() const override { return deliveries_.status(); }
  std::optional<std::chrono::milliseconds> idle_for() const override {
    const bool delivering = deliveries_.status().waiting > 0;
    const MutexLock lock(mutex_);
    return IdleFor(delivering);
  }
  bool StopIfIdle(std::chrono::milliseconds time) override {
    const bool delivering = deliveries_.status().waiting > 0;
    const MutexLock lock(mutex_);
    if (claiming_ > 0 || IdleFor(delivering).value_or(std::chrono::milliseconds(-1)) < time) {
      return false;
    }
    draining_ = true;
    wake_.NotifyAll();
    return true;
  }

 private:
  /// Keeps a job's keeper in the list of those that run.
  class RunningJob {
   public:
    RunningJob(ScanWorkers& pool, LeaseKeeper& keeper);
    ~RunningJob();
    /// False when the pool had begun to drain before.
    bool may_run() const { return may_run_; }

   private:
    ScanWorkers& pool_;
    LeaseKeeper& keeper_;
    bool may_run_ = false;
  };

  std::optional<std::chrono::milliseconds> IdleFor(bool delivering) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!keepers_.empty() || delivering) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - last_change_);
  }
  void OnChange(const std::string& scan_id);
  void OnClaimable();
  bool DrainScans(std::chrono::milliseconds grace);
  void Serve();
  bool ClaimAndRun();
  void Pause();
  void Run(JobStore::Claimed claimed);
  void GiveBack(const JobLease& lease);

  JobStore& jobs_;
  const JobHandler handler_;
  const ScanWorkerOptions options_;
  ServiceMetrics& metrics_;
  const KeptResults kept_results_;
  TierOrder tiers_;
  Deliveries deliveries_;

  mutable Mutex mutex_;
  CondVar wake_;                                               // of idle workers, and of Drain
  std::vector<LeaseKeeper*> keepers_ ABSL_GUARDED_BY(mutex_);  // of the jobs that run
  std::int64_t changes_ ABSL_GUARDED_BY(mutex_) = 0;           // heard of so far
  int claiming_ ABSL_GUARDED_BY(mutex_) = 0;                   // threads that look, or have a job
  Clock::time_point last_change_ ABSL_GUARDED_BY(mutex_) = Clock::now();
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  std::stop_source shutdown_;  // stops what waits for the job store when all must end

  std::vector<std::unique_ptr<JobSubscription>> subscriptions_;
  std::optional<FleetMembership> membership_;
  std::vector<std::jthread> threads_;
};

void ScanWorkers::OnChange(const std::string& scan_id) {
  deliveries_.Wake(scan_id);
  const MutexLock lock(mutex_);
  for (LeaseKeeper* keeper : keepers_) {
    if (keeper->lease().scan_id == scan_id) keeper->Wake();
  }
}

void ScanWorkers::OnClaimable() {
  const MutexLock lock(mutex_);
  ++changes_;
  last_change_ = Clock::now();
  wake_.NotifyAll();
}

void ScanWorkers::Serve() {
  while (true) {
    std::int64_t heard = 0;
    {
      const MutexLock lock(mutex_);
      if (draining_) return;
      heard = changes_;
      ++claiming_;
    }
    bool again = true;
    try {
      again = ClaimAndRun();
    } catch (const std::exception& failure) {
      // Memory or threads are out: it may be better soon, or at another worker.
      spdlog::error("a scan worker: {}", failure.what());
      Pause();
    }
    const MutexLock lock(mutex_);
    --claiming_;
    if (again) continue;
    wake_.WaitFor(mutex_, options_.poll, [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
      return draining_ || changes_ != heard;
    });
  }
}

/// @return whether there was a job
bool ScanWorkers::ClaimAndRun() {
  if (deliveries_.status().paused || !handler_.ready(CancelToken(shutdown_.get_token()))) {
    Pause();
    return false;
  }
  const auto fleet = membership_->fleet();
  const ClaimOrder order = tiers_.Next(fleet.get(), Clock::now());
  auto claimed = jobs_.Claim(options_.worker, options_.lease_time, order);
  if (!claimed.ok()) {
    metrics_.JobStoreFailed();
    spdlog::warn("no job could be claimed: {}", Message(claimed.status()));
    Pause();
    return false;
  }
  tiers_.Claimed(order, *claimed ? std::optional((*claimed)->job.tier) : std::nullopt,
                 Clock::now());
  if (!*claimed) return false;
  Run(**std::move(claimed));
  return true;
}

/// Not at once again, whatever is heard. What waits meanwhile is not known: that is not idleness.
void ScanWorkers::Pause() {
  const MutexLock lock(mutex_);
  last_change_ = Clock::now();
  wake_.WaitFor(mutex_, options_.poll,
                [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return draining_; });
}

void ScanWorkers::Run(JobStore::Claimed claimed) {
  std::optional<LeaseKeeper> keeper;
  try {
    keeper.emplace(jobs_, claimed.lease, options_, metrics_);
  } catch (const std::exception&) {  // it has a thread
    GiveBack(claimed.lease);
    throw;
  }
  const RunningJob running(*this, *keeper);
  if (!running.may_run()) return GiveBack(claimed.lease);
  const AttemptDeps deps{jobs_, handler_, metrics_, kept_results_, deliveries_};
  JobAttempt(deps, *keeper, std::move(claimed)).Run(shutdown_.get_token());
}

void ScanWorkers::GiveBack(const JobLease& lease) {
  const absl::Status released = jobs_.Release(lease);
  if (released.ok()) return;
  spdlog::warn("scan '{}' could not be given back: {}", lease.scan_id, Message(released));
}

ScanWorkers::RunningJob::RunningJob(ScanWorkers& pool, LeaseKeeper& keeper)
    : pool_(pool), keeper_(keeper) {
  const MutexLock lock(pool_.mutex_);
  pool_.last_change_ = Clock::now();
  pool_.keepers_.push_back(&keeper_);
  may_run_ = !pool_.draining_;
}

ScanWorkers::RunningJob::~RunningJob() {
  const MutexLock lock(pool_.mutex_);
  std::erase(pool_.keepers_, &keeper_);
  pool_.last_change_ = Clock::now();
  pool_.wake_.NotifyAll();
}

bool ScanWorkers::Drain(std::chrono::milliseconds grace) {
  const bool ended = DrainScans(grace);
  deliveries_.Stop();
  return ended;
}

bool ScanWorkers::DrainScans(std::chrono::milliseconds grace) {
  const auto ended = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return keepers_.empty(); };
  const MutexLock lock(mutex_);
  draining_ = true;
  wake_.NotifyAll();
  if (wake_.WaitFor(mutex_, grace, ended)) return true;
  for (LeaseKeeper* keeper : keepers_) keeper->Stop(StopCause::kDraining);
  shutdown_.request_stop();
  // A scan that does not stop has its job given back by its keeper when the time is over.
  constexpr auto kReleaseTime = std::chrono::seconds(1);
  return wake_.WaitFor(mutex_, options_.stop_grace + kReleaseTime, ended);
}

}  // namespace

std::unique_ptr<ScanWorkerPool> StartScanWorkers(JobStore& jobs, JobHandler handler,
                                                 ScanWorkerOptions options,
                                                 ServiceMetrics& metrics) {
  return std::make_unique<ScanWorkers>(jobs, std::move(handler), std::move(options), metrics);
}

}  // namespace glint
