// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/thread_pool.h"
#include "jobs/sqlite_jobs.h"
#include "observe/metrics.h"
#include "support/memory_store.h"
#include "support/temp_folder.h"
#include "workers/scan_worker_pool.h"

namespace glint {

/// Scan workers over a real job store, with a scan that the test writes.
class ScanWorkerTest : public testing::Test {
 protected:
  using Scan = std::function<absl::StatusOr<ScanResult>(const ScanRequest&, const ScanDeps&,
                                                        const CancelToken&)>;

  ScanWorkerTest();
  ~ScanWorkerTest() override { pool_.reset(); }

  /// @param scan  instead of RunScan
  void Start(ScanWorkerOptions options, Scan scan);
  void Start(Scan scan) { Start({}, std::move(scan)); }
  void Submit(const std::string& scan_id);
  Job Get(const std::string& scan_id);
  /// Waits for a job's final state.
  Job WaitForEnd(const std::string& scan_id);
  bool MetricsSay(const std::string& line) {
    return metrics_->Text().find(line) != std::string::npos;
  }

  /// Waits for something that another thread brings about; fails the test after a minute.
  static void WaitUntil(const std::function<bool()>& condition);
  /// A scan that announces two steps and publishes a report.
  static absl::StatusOr<ScanResult> PublishSmallResult(const ScanRequest& request,
                                                       const ScanDeps& deps,
                                                       const CancelToken& cancel);
  /// A scan that does nothing until it is told to stop.
  static absl::StatusOr<ScanResult> WaitForStop(const ScanRequest& request, const ScanDeps& deps,
                                                const CancelToken& cancel);

  const TempFolder folder_;
  std::unique_ptr<JobStore> jobs_;
  MemoryStore store_;
  std::unique_ptr<ServiceMetrics> metrics_ = MakeServiceMetrics("test");
  std::unique_ptr<Fetcher> fetcher_ = MakeFileFetcher();
  DevicePool devices_{BackendChoice()};  // not taken by the tests' scans
  ThreadPool threads_{1};
  JobHandler handler_;  // tests may change it before Start
  std::unique_ptr<ScanWorkerPool> pool_;
};

}  // namespace glint
