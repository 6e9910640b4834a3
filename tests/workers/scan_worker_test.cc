// SPDX-License-Identifier: Apache-2.0
#include "workers/scan_worker_test.h"

#include <fmt/format.h>

#include "store/store_test_support.h"
#include "support/status_matchers.h"

namespace glint {

using namespace std::chrono_literals;

ScanWorkerTest::ScanWorkerTest() {
  auto jobs = OpenSqliteJobs(folder_.path() / "jobs.db", {}, {.busy_wait = 60s});
  EXPECT_THAT(jobs, IsOk());
  jobs_ = *std::move(jobs);
  handler_.request = [](const Job& job) -> absl::StatusOr<ScanRequest> {
    return ScanRequest{.scan_id = job.scan_id, .input = job.request, .prefix = job.scan_id};
  };
  handler_.deps = [this](const Job&) { return ScanDeps{*fetcher_, store_, devices_, threads_}; };
  handler_.result = [](const Job& job, const ScanResult&,
                       const std::vector<StoredObject>& objects) -> absl::StatusOr<std::string> {
    return fmt::format("{} with {} objects", job.scan_id, objects.size());
  };
}

void ScanWorkerTest::Start(ScanWorkerOptions options, Scan scan) {
  options.worker = "worker";
  options.poll = 20ms;
  handler_.scan = std::move(scan);
  pool_ = StartScanWorkers(*jobs_, handler_, options, *metrics_);
}

void ScanWorkerTest::Submit(const std::string& scan_id) {
  ASSERT_THAT(jobs_->Submit({scan_id, "request of " + scan_id, "https://host/video"}), IsOk());
}

Job ScanWorkerTest::Get(const std::string& scan_id) {
  auto job = jobs_->Get(scan_id);
  EXPECT_THAT(job, IsOk());
  return job.value_or(Job{});
}

Job ScanWorkerTest::WaitForEnd(const std::string& scan_id) {
  WaitUntil([&] { return IsFinal(Get(scan_id).state); });
  return Get(scan_id);
}

void ScanWorkerTest::WaitUntil(const std::function<bool()>& condition) {
  for (int i = 0; i < 12'000; ++i) {
    if (condition()) return;
    std::this_thread::sleep_for(5ms);
  }
  ADD_FAILURE() << "nothing happened for a minute";
}

absl::StatusOr<ScanResult> ScanWorkerTest::PublishSmallResult(const ScanRequest& request,
                                                              const ScanDeps& deps,
                                                              const CancelToken& cancel) {
  deps.progress->OnProgress({.step = ScanStep::kDownloading, .bytes = 10, .bytes_of = 10});
  if (absl::Status status = cancel.Check(); !status.ok()) return status;
  deps.progress->OnProgress(
      {.step = ScanStep::kUploading, .fraction = 0.9, .frames = 7, .bytes = 10, .bytes_of = 10});
  auto set = deps.store.Begin(request.prefix, cancel);
  if (!set.ok()) return set.status();
  if (absl::Status status = PutText(**set, "report.json", "{}"); !status.ok()) return status;
  const std::vector<StoredObject> objects = {{"report.json", "application/json", 2}};
  if (absl::Status status = deps.before_commit({}, objects, **set); !status.ok()) return status;
  if (absl::Status status = (*set)->Commit(); !status.ok()) return status;
  return ScanResult{};
}

absl::StatusOr<ScanResult> ScanWorkerTest::WaitForStop(const ScanRequest&, const ScanDeps&,
                                                       const CancelToken& cancel) {
  while (cancel.Check().ok()) std::this_thread::sleep_for(1ms);
  return In("measuring", cancel.Check());
}

}  // namespace glint
