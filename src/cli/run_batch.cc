// SPDX-License-Identifier: Apache-2.0
#include "cli/run_batch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "cli/exit_code.h"
#include "glint/error.h"
#include "scan/run_scan.h"

namespace glint {
namespace {

using Steady = std::chrono::steady_clock;

/// Size and time of the last change: not proof of equal bytes, but what `make` relies on, too.
std::string VersionOf(const std::string& input) {
  struct stat info {};
  if (stat(input.c_str(), &info) != 0) return "";
  return fmt::format("{} bytes, {}.{:09}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

/// Whether one of the sides that were filmed ended so.
bool HasSide(const ScanResult& result, ScanOutcome outcome) {
  return result.report.outcome == outcome ||
         (result.back && result.back->report.outcome == outcome);
}

/// A file that a result depends on beside its video. @param what  it is
std::string OtherInput(std::string_view what, const std::string& input) {
  if (input.empty()) return "";
  return fmt::format(", {} {} ({})", what, InputKey(input), VersionOf(input));
}

class Batch {
 public:
  Batch(const BatchOptions& options, const ScanDeps& deps, Reporter& reporter,
        const std::stop_token& stop)
      : options_(options), deps_(deps), stop_(stop), record_(options.root), reporter_(reporter) {}

  BatchTotals Run() {
    const auto start = Steady::now();
    {
      const MutexLock lock(mutex_);
      reporter_.Begin(options_.jobs.size());
    }
    {
      std::vector<std::jthread> others;
      const auto wanted = static_cast<std::size_t>(std::max(1, options_.parallel));
      const std::size_t workers = std::min(wanted, options_.jobs.size());
      for (std::size_t i = 1; i < workers; ++i) others.emplace_back([this] { Work(); });
      Work();
    }
    const MutexLock lock(mutex_);
    const std::size_t finished = totals_.scanned + totals_.skipped + totals_.failed;
    totals_.not_started = options_.jobs.size() - finished;
    if (totals_.not_started > 0) totals_.exit_code = Worse(totals_.exit_code, kExitCancelled);
    totals_.seconds = std::chrono::duration<double>(Steady::now() - start).count();
    reporter_.End(totals_);
    return totals_;
  }

 private:
  /// Passes a scan's progress on, under the lock that the reporter needs.
  class Sink final : public ProgressSink {
   public:
    Sink(Batch& batch, const ScanJob& job) : batch_(batch), job_(job) {}
    void OnProgress(const Progress& progress) override {
      const MutexLock lock(batch_.mutex_);
      batch_.reporter_.Advanced(job_, progress);
    }

   private:
    Batch& batch_;
    const ScanJob& job_;
  };

  void Work() {
    while (!stop_.stop_requested()) {
      const std::size_t index = next_++;
      if (index >= options_.jobs.size()) return;
      Do(options_.jobs[index]);
    }
  }

  void Do(const ScanJob& job) {
    const std::string prefix = options_.batch ? job.scan_id : options_.request.prefix;
    const std::string report =
        deps_.store.Locate(prefix, deps_.store.Takes("text/html") ? "report.html" : "report.json");
    const ScanRequest request = RequestOf(job, prefix);
    const BatchRecord::Entry entry{InputKey(job.input), OptionsKey(request, options_.params),
                                   VersionOf(job.input)};
    if (options_.batch && !options_.force && IsDone(job.scan_id, entry)) {
      const MutexLock lock(mutex_);
      ++totals_.skipped;
      reporter_.Skipped(job, report);
      return;
    }
    {
      const MutexLock lock(mutex_);
      reporter_.Started(job);
    }
    const auto result = Scan(job, request, entry);
    if (result.ok() && !prefix.empty()) record_.Add(job.scan_id, entry);
    const MutexLock lock(mutex_);
    totals_.exit_code = Worse(totals_.exit_code, ExitCodeOf(result.status()));
    if (!result.ok()) {
      ++totals_.failed;
      totals_.failures.emplace(job.scan_id, result.status());
      reporter_.Failed(job, result.status());
      return;
    }
    ++totals_.scanned;
    if (HasSide(*result, ScanOutcome::kNoUsableFrames)) ++totals_.unusable;
    if (HasSide(*result, ScanOutcome::kNotJudged)) ++totals_.not_judged;
    reporter_.Scanned(job, *result, report);
  }

  /// A result without a record (of a single scan, say) counts where nothing speaks against it: such
  /// a scan has the default parameters.
  bool IsDone(const std::string& scan_id, const BatchRecord::Entry& entry) {
    const auto complete = deps_.store.Complete(scan_id, CancelToken(stop_));
    if (!complete.ok() || !*complete) return false;
    const BatchRecord::Entry* known = record_.Find(scan_id);
    if (known == nullptr) return ChangedParams(options_.params).empty();
    return *known == entry;
  }

  ScanRequest RequestOf(const ScanJob& job, const std::string& prefix) const {
    ScanRequest request = options_.request;
    request.scan_id = job.scan_id;
    request.input = job.input;
    request.prefix = prefix;
    if (job.item_type) request.item_type = *job.item_type;
    return request;
  }

  absl::StatusOr<ScanResult> Scan(const ScanJob& job, const ScanRequest& request,
                                  const BatchRecord::Entry& entry) {
    // A place that cannot be written is found out here, not after minutes of work.
    if (const auto place = deps_.store.Begin(request.prefix, CancelToken(stop_)); !place.ok()) {
      return In(Name(ScanStep::kUploading), place.status());
    }
    Sink sink(*this, job);
    ScanDeps deps = deps_;
    deps.progress = &sink;
    if (request.prefix.empty() && !options_.root.empty()) {
      // The result takes the place of the whole folder, so its record is a part of it.
      deps.before_commit = [&](const ScanResult&, const std::vector<StoredObject>&,
                               Publication& set) {
        const std::string line = BatchRecord::Line(job.scan_id, entry);
        return set.Put(kBatchRecordName, std::as_bytes(std::span(line)), "application/jsonl");
      };
    }
    std::optional<Steady::time_point> deadline;
    if (options_.timeout_s > 0) {
      deadline = Steady::now() + std::chrono::duration_cast<Steady::duration>(
                                     std::chrono::duration<double>(options_.timeout_s));
    }
    return RunScan(request, options_.params, deps, CancelToken(stop_, deadline));
  }

  const BatchOptions& options_;
  const ScanDeps& deps_;
  const std::stop_token stop_;
  const BatchRecord record_;
  std::atomic<std::size_t> next_ = 0;
  Mutex mutex_;
  Reporter& reporter_ ABSL_GUARDED_BY(mutex_);
  BatchTotals totals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::string OptionsKey(const ScanRequest& request, const AnalysisParams& params) {
  const std::string others =
      OtherInput("back", request.back) + OtherInput("reference", request.reference);
  std::string changed;
  for (const ChangedParam& param : ChangedParams(params)) {
    changed += fmt::format(", {}={}", param.path, param.value);
  }
  std::string exports;
  for (const ExportFormat format : request.exports) exports += fmt::format(", {}", Name(format));
  return fmt::format(
      "glint {}, {}, {}, motion {} up to {}, golden {}, gap {}, rotation {}{}{}{}{}{}",
      GLINT_VERSION, request.profile, request.item_type,
      request.motion == MotionMode::kAll ? "all" : "needed",
      request.motion_limit_px ? fmt::format("{}", *request.motion_limit_px) : "auto",
      request.golden_frames, request.golden_gap,
      request.rotation ? fmt::format("{}", *request.rotation) : "auto",
      request.up == PictureSide::kTop ? "" : fmt::format(", up {}", Name(request.up)),
      request.size.empty() ? "" : ", size " + request.size, others, exports, changed);
}

BatchTotals RunBatch(const BatchOptions& options, const ScanDeps& deps, Reporter& reporter,
                     const std::stop_token& stop) {
  return Batch(options, deps, reporter, stop).Run();
}

}  // namespace glint
