// SPDX-License-Identifier: Apache-2.0
#include "observe/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "observe/process_stats.h"

namespace glint {
namespace {

using prometheus::Histogram;
using prometheus::Labels;

// Seconds: a step may take a millisecond, a scan minutes.
const Histogram::BucketBoundaries kScanBuckets = {0.01, 0.03, 0.1, 0.3, 1,   3,
                                                  10,   30,   100, 300, 1000};
const Histogram::BucketBoundaries kCallBuckets = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10};

class PrometheusMetrics final : public ServiceMetrics {
 public:
  explicit PrometheusMetrics(std::string_view version) {
    prometheus::BuildGauge()
        .Name("glint_build_info")
        .Help("1, with the version as a label")
        .Register(registry_)
        .Add({{"version", std::string(version)}})
        .Set(1);
  }

  void StepDone(ScanStep step, double seconds) override {
    step_seconds_.Add({{"step", std::string(Name(step))}}, kScanBuckets).Observe(seconds);
  }

  void ScanEnded(const ReasonInfo* failure, double seconds, std::int64_t frames) override {
    const std::string result = failure == nullptr                     ? "succeeded"
                               : failure == &Info(Reason::kCancelled) ? "cancelled"
                                                                      : "failed";
    const std::string reason(failure != nullptr ? failure->name : "");
    scans_.Add({{"result", result}, {"reason", reason}}).Increment();
    scan_seconds_.Add({{"result", result}}, kScanBuckets).Observe(seconds);
    frames_.Increment(static_cast<double>(frames));
    if (failure == nullptr && seconds > 0) frames_per_s_.Set(static_cast<double>(frames) / seconds);
  }

  void BytesDownloaded(std::int64_t bytes) override {
    downloaded_.Increment(static_cast<double>(bytes));
  }
  void WatchdogTripped() override { watchdog_trips_.Increment(); }
  void JobStoreFailed() override { store_failures_.Increment(); }
  void EarlierResultUsed() override { results_taken_.Increment(); }

  void Delivered(std::string_view how) override {
    deliveries_.Add({{"result", std::string(how)}}).Increment();
  }

  void CallDone(std::string_view method, std::string_view code, double seconds) override {
    calls_.Add({{"method", std::string(method)}, {"code", std::string(code)}}).Increment();
    call_seconds_.Add({{"method", std::string(method)}}, kCallBuckets).Observe(seconds);
  }

  void SetGauges(std::function<WorkerGauges()> read) override {
    const MutexLock lock(mutex_);
    read_gauges_ = std::move(read);
  }

  std::string Text() override {
    const MutexLock lock(mutex_);
    if (read_gauges_) Show(read_gauges_());
    const ProcessStats process = ReadProcessStats();
    resident_.Set(static_cast<double>(process.resident_bytes));
    open_files_.Set(static_cast<double>(process.open_files));
    cpu_seconds_.Increment(process.cpu_seconds - cpu_seconds_.Value());
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  }

 private:
  void Show(const WorkerGauges& gauges) {
    queued_.Set(static_cast<double>(gauges.queued));
    queue_capacity_.Set(static_cast<double>(gauges.queue_capacity));
    running_.Set(static_cast<double>(gauges.running));
    stuck_.Set(static_cast<double>(gauges.stuck));
    watchers_.Set(static_cast<double>(gauges.watchers));
    dead_notices_.Increment(static_cast<double>(gauges.dead_notices) - dead_notices_.Value());
    connections_.Set(static_cast<double>(gauges.connections));
    lost_lines_.Increment(static_cast<double>(gauges.lost_log_lines) - lost_lines_.Value());
    confined_.Set(gauges.confined ? 1 : 0);
    store_away_.Set(gauges.store_away ? 1 : 0);
    claiming_paused_.Set(gauges.claiming_paused ? 1 : 0);
    results_waiting_.Set(static_cast<double>(gauges.results_waiting));
    result_bytes_waiting_.Set(static_cast<double>(gauges.result_bytes_waiting));
    ShowTiers(gauges.tiers);
  }

  /// Tiers that were shown once and in which nothing waits are shown as empty.
  void ShowTiers(const std::vector<TierGauges>& tiers) {
    for (auto& [name, shown] : tiers_) shown = {};
    for (const TierGauges& tier : tiers) tiers_[tier.tier] = tier;
    for (const auto& [name, tier] : tiers_) {
      const Labels labels = {{"tier", name}};
      tier_queued_.Add(labels).Set(static_cast<double>(tier.queued));
      tier_oldest_.Add(labels).Set(tier.oldest_s);
      tier_work_.Add(labels).Set(tier.work_s);
    }
  }

  prometheus::Family<prometheus::Gauge>& AddGauges(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry_);
  }
  prometheus::Family<Histogram>& AddHistograms(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry_);
  }
  prometheus::Family<prometheus::Counter>& AddCounters(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry_);
  }
  prometheus::Counter& AddCounter(const char* name, const char* help) {
    return AddCounters(name, help).Add({});
  }
  prometheus::Gauge& AddGauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry_).Add({});
  }

  prometheus::Registry registry_;
  prometheus::Family<Histogram>& step_seconds_ =
      AddHistograms("glint_step_seconds", "Wall time of each step of a scan");
  prometheus::Family<Histogram>& scan_seconds_ =
      AddHistograms("glint_scan_seconds", "Wall time of scans by result");
  prometheus::Family<prometheus::Counter>& scans_ =
      AddCounters("glint_scans_total", "Scans that ended, by result and reason");
  prometheus::Counter& frames_ = AddCounter("glint_frames_total", "Frames measured");
  prometheus::Gauge& frames_per_s_ =
      AddGauge("glint_frames_per_second", "Frames of the latest scan that succeeded, by its time");
  prometheus::Counter& downloaded_ =
      AddCounter("glint_downloaded_bytes_total", "Bytes of videos downloaded");
  prometheus::Counter& watchdog_trips_ =
      AddCounter("glint_watchdog_trips_total", "Scans that did not stop when they were told to");
  prometheus::Counter& store_failures_ =
      AddCounter("glint_job_store_failures_total", "Calls of the job store that failed");
  prometheus::Counter& results_taken_ =
      AddCounter("glint_results_taken_total", "Results that a worker had stored before it died");
  prometheus::Family<prometheus::Counter>& calls_ =
      AddCounters("glint_calls_total", "Calls of the API, by method and code");
  prometheus::Family<Histogram>& call_seconds_ =
      AddHistograms("glint_call_seconds", "Wall time of calls of the API");
  prometheus::Gauge& queued_ = AddGauge("glint_queued_scans", "Scans that wait");
  prometheus::Gauge& queue_capacity_ = AddGauge("glint_queue_capacity", "Scans that may wait");
  prometheus::Family<prometheus::Gauge>& tier_queued_ =
      AddGauges("glint_tier_queued_scans", "Scans of a tier that wait");
  prometheus::Family<prometheus::Gauge>& tier_oldest_ = AddGauges(
      "glint_tier_oldest_seconds", "Age of the scan of a tier that was submitted first and waits");
  prometheus::Family<prometheus::Gauge>& tier_work_ = AddGauges(
      "glint_tier_work_seconds",
      "What the scans of a tier that wait will take one scan worker, by the latest scans");
  prometheus::Gauge& running_ = AddGauge("glint_running_scans", "Scans under way");
  prometheus::Gauge& stuck_ =
      AddGauge("glint_stuck_scans", "Scans that have been told to stop and do not");
  prometheus::Gauge& watchers_ = AddGauge("glint_watchers", "Open streams of events");
  prometheus::Gauge& connections_ = AddGauge("glint_connections", "Open connections of the API");
  prometheus::Counter& dead_notices_ =
      AddCounter("glint_dead_notices_total", "Ends of scans that a target was never told of");
  prometheus::Counter& lost_lines_ =
      AddCounter("glint_log_lines_lost_total", "Lines of the log that nobody read");
  prometheus::Gauge& confined_ =
      AddGauge("glint_decoder_confined", "1 while videos are decoded in the sandbox");
  prometheus::Family<prometheus::Counter>& deliveries_ = AddCounters(
      "glint_deliveries_total", "Attempts to store a finished result, by how they went");
  prometheus::Gauge& store_away_ =
      AddGauge("glint_store_away", "1 while the place for results does not take them");
  prometheus::Gauge& claiming_paused_ =
      AddGauge("glint_claiming_paused", "1 while no scan is begun because too many results wait");
  prometheus::Gauge& results_waiting_ =
      AddGauge("glint_results_waiting", "Finished results that are not stored yet");
  prometheus::Gauge& result_bytes_waiting_ =
      AddGauge("glint_result_bytes_waiting", "Size of finished results that are not stored yet");
  prometheus::Gauge& resident_ =
      AddGauge("process_resident_memory_bytes", "Resident memory size in bytes");
  prometheus::Gauge& open_files_ = AddGauge("process_open_fds", "Number of open file descriptors");
  prometheus::Counter& cpu_seconds_ =
      AddCounter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds");

  Mutex mutex_;  // held while Text() reads and sets
  std::function<WorkerGauges()> read_gauges_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, TierGauges> tiers_;  // shown so far
};

}  // namespace

std::unique_ptr<ServiceMetrics> MakeServiceMetrics(std::string_view version) {
  return std::make_unique<PrometheusMetrics>(version);
}

}  // namespace glint
