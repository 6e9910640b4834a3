// SPDX-License-Identifier: Apache-2.0
#include "workers/scan_worker_pool.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "observe/metrics.h"
#include "workers/job_attempt.h"
#include "workers/lease_keeper.h"

namespace glint {
namespace {

using Clock = std::chrono::steady_clock;

class ScanWorkers final : public ScanWorkerPool {
 public:
  ScanWorkers(JobStore& jobs, JobHandler handler, ScanWorkerOptions options,
              ServiceMetrics& metrics)
      : jobs_(jobs), handler_(std::move(handler)), options_(std::move(options)), metrics_(metrics) {
    subscription_ = jobs_.Subscribe([this](const std::string& scan_id) { OnChange(scan_id); });
    for (int i = 0; i < options_.count; ++i) {
      threads_.emplace_back([this] { Serve(); });
    }
  }

  ~ScanWorkers() override {
    Drain(std::chrono::milliseconds(0));
    threads_.clear();       // joins
    subscription_.reset();  // not under the lock: its callback takes it
  }

  bool Drain(std::chrono::milliseconds grace) override;

  int running() const override {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(keepers_.size());
  }
  int stuck() const override {
    const std::scoped_lock lock(mutex_);
    return static_cast<int>(
        std::ranges::count_if(keepers_, [](const auto* keeper) { return keeper->abandoned(); }));
  }
  std::optional<std::chrono::milliseconds> idle_for() const override {
    const std::scoped_lock lock(mutex_);
    if (!keepers_.empty()) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - last_change_);
  }

 private:
  /// Keeps a job's keeper in the list of those that run.
  class Listed {
   public:
    Listed(ScanWorkers& pool, LeaseKeeper& keeper);
    ~Listed();
    /// False when the pool had begun to drain before.
    bool may_run() const { return may_run_; }

   private:
    ScanWorkers& pool_;
    LeaseKeeper& keeper_;
    bool may_run_ = false;
  };

  void OnChange(const std::string& scan_id);
  void Serve();
  bool ClaimAndRun();
  void Run(JobStore::Claimed claimed);

  JobStore& jobs_;
  const JobHandler handler_;
  const ScanWorkerOptions options_;
  ServiceMetrics& metrics_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;       // of idle workers, and of Drain
  std::vector<LeaseKeeper*> keepers_;  // of the jobs that run
  std::int64_t changes_ = 0;           // heard of so far
  Clock::time_point last_change_ = Clock::now();
  bool draining_ = false;
  std::stop_source give_up_;  // stops what waits for the job store when all must end

  std::unique_ptr<JobSubscription> subscription_;
  std::vector<std::jthread> threads_;
};

void ScanWorkers::OnChange(const std::string& scan_id) {
  const std::scoped_lock lock(mutex_);
  ++changes_;
  last_change_ = Clock::now();
  for (LeaseKeeper* keeper : keepers_) {
    if (keeper->lease().scan_id == scan_id) keeper->Wake();
  }
  wake_.notify_all();
}

void ScanWorkers::Serve() {
  while (true) {
    std::int64_t heard = 0;
    {
      const std::scoped_lock lock(mutex_);
      if (draining_) return;
      heard = changes_;
    }
    try {
      if (ClaimAndRun()) continue;
    } catch (const std::exception& failure) {
      // Memory or threads are out. The job's lease ends, and another attempt follows.
      spdlog::error("a scan worker: {}", failure.what());
    }
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, options_.poll, [&] { return draining_ || changes_ != heard; });
  }
}

/// @return whether there was a job
bool ScanWorkers::ClaimAndRun() {
  auto claimed = jobs_.Claim(options_.worker, options_.lease_time);
  if (!claimed.ok()) {
    metrics_.JobStoreFailed();
    spdlog::warn("no job could be claimed: {}", Message(claimed.status()));
    std::unique_lock lock(mutex_);  // not at once again, whatever is heard
    wake_.wait_for(lock, options_.poll, [this] { return draining_; });
    return false;
  }
  if (!*claimed) return false;
  Run(**std::move(claimed));
  return true;
}

void ScanWorkers::Run(JobStore::Claimed claimed) {
  LeaseKeeper keeper(jobs_, claimed.lease, options_, metrics_);
  const Listed listed(*this, keeper);
  if (listed.may_run()) {
    JobAttempt(jobs_, handler_, metrics_, keeper, std::move(claimed)).Run(give_up_.get_token());
  } else if (absl::Status released = jobs_.Release(claimed.lease); !released.ok()) {
    spdlog::warn("scan '{}' could not be given back: {}", claimed.lease.scan_id, Message(released));
  }
}

ScanWorkers::Listed::Listed(ScanWorkers& pool, LeaseKeeper& keeper) : pool_(pool), keeper_(keeper) {
  const std::scoped_lock lock(pool_.mutex_);
  pool_.last_change_ = Clock::now();
  pool_.keepers_.push_back(&keeper_);
  may_run_ = !pool_.draining_;
}

ScanWorkers::Listed::~Listed() {
  const std::scoped_lock lock(pool_.mutex_);
  std::erase(pool_.keepers_, &keeper_);
  pool_.last_change_ = Clock::now();
  pool_.wake_.notify_all();
}

bool ScanWorkers::Drain(std::chrono::milliseconds grace) {
  const auto ended = [this] { return keepers_.empty(); };
  std::unique_lock lock(mutex_);
  draining_ = true;
  wake_.notify_all();
  if (wake_.wait_for(lock, grace, ended)) return true;
  for (LeaseKeeper* keeper : keepers_) keeper->Stop(StopCause::kDraining);
  give_up_.request_stop();
  // A scan that does not stop has its job given back by its keeper when the time is over.
  constexpr auto kToGiveBack = std::chrono::seconds(1);
  return wake_.wait_for(lock, options_.stop_grace + kToGiveBack, ended);
}

}  // namespace

std::unique_ptr<ScanWorkerPool> StartScanWorkers(JobStore& jobs, JobHandler handler,
                                                 ScanWorkerOptions options,
                                                 ServiceMetrics& metrics) {
  return std::make_unique<ScanWorkers>(jobs, std::move(handler), std::move(options), metrics);
}

}  // namespace glint
