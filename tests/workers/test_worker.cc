// SPDX-License-Identifier: Apache-2.0
// A whole worker without its network: jobs in SQLite, scan workers, real scans, results in a
// folder. Tests kill it, and let it run for long. It says on stdout what happened, one line per
// fact, each written in one piece.
//   glint_test_worker FOLDER CLIP RUN SCANS        submits SCANS scans of CLIP named RUN-0, RUN-1,
//                                                  ... and works until nothing is left
//   glint_test_worker FOLDER CLIP RUN SCANS MORE   then makes MORE, and says what it uses after
//   both
#include <fmt/format.h>
#include <malloc.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "base/thread_pool.h"
#include "jobs/sqlite_jobs.h"
#include "jobs/worker_slot.h"
#include "observe/metrics.h"
#include "observe/process_stats.h"
#include "support/victim.h"
#include "workers/completion_marker.h"
#include "workers/scan_worker_pool.h"

namespace glint {
namespace {

using namespace std::chrono_literals;

struct Worker {
  Worker(const std::filesystem::path& folder, std::string input)
      : slot(Open(TakeWorkerSlot(folder))),
        jobs(Open(OpenSqliteJobs(folder / "jobs.db", {.queue_capacity = 1'000'000}))),
        results(MakeFolderStore(folder / "results")),
        clip(std::move(input)),
        devices(*OpenBackend()) {}

  template <class T>
  static T Open(absl::StatusOr<T> opened) {
    Must(opened.status());
    return *std::move(opened);
  }
  absl::StatusOr<BackendChoice> OpenBackend() {
    auto choice = SelectBackend("cpu", BackendTable(), {.pool = &pool});
    Must(choice.status());
    return choice;
  }

  JobHandler Handler() {
    JobHandler handler;
    handler.request = [this](const Job& job) -> absl::StatusOr<ScanRequest> {
      return ScanRequest{
          .scan_id = job.scan_id, .input = clip, .prefix = job.scan_id, .profile = "classic"};
    };
    handler.deps = [this](const Job&) { return ScanDeps{*fetcher, *results, devices, pool}; };
    handler.result = [this](
                         const Job& job, const ScanResult&,
                         const std::vector<StoredObject>& objects) -> absl::StatusOr<std::string> {
      // Called just before the result appears: there must be none yet.
      const auto earlier = FindCompletedResult(*results, job.scan_id, job, CancelToken());
      Must(earlier.status());
      if (*earlier) Say(fmt::format("TWICE {}\n", job.scan_id));
      Say(fmt::format("SEALING {}\n", job.scan_id));
      return fmt::format("{}", objects.size());
    };
    return handler;
  }

  std::unique_ptr<WorkerSlot> slot;
  std::unique_ptr<JobStore> jobs;
  std::unique_ptr<ObjectStore> results;
  std::unique_ptr<Fetcher> fetcher = MakeFileFetcher();
  std::string clip;
  ThreadPool pool{2};
  DevicePool devices;
};

/// Memory and open files of the idle worker, several times: what a scan held may come back late.
void SayFigures(std::int64_t ended) {
  for (int look = 0; look < 20; ++look) {
    const ProcessStats figures = ReadProcessStats();
    Say(fmt::format("FIGURES {} {} {}\n", ended, figures.resident_bytes, figures.open_files));
    std::this_thread::sleep_for(10ms);
  }
}

void Submit(JobStore& jobs, const std::string& run, int first, int count, const std::string& clip) {
  for (int i = first; i < first + count; ++i) {
    const std::string id = fmt::format("{}-{}", run, i);
    Must(jobs.Submit({id, "request of " + id, clip}).status());
    Say(fmt::format("SUBMITTED {}\n", id));
  }
}

/// Waits until no scan is left. @return how many have ended
std::int64_t WaitUntilIdle(JobStore& jobs) {
  while (true) {
    const auto counts = jobs.Counts();
    Must(counts.status());
    if (counts->queued + counts->running == 0) return counts->succeeded + counts->failed;
    std::this_thread::sleep_for(5ms);
  }
}

int Main(const std::filesystem::path& folder, const std::string& clip, const std::string& run,
         int count, int more) {
  spdlog::set_level(spdlog::level::off);
  Worker worker(folder, clip);
  Must(worker.jobs->ExpireLeasesOf(worker.slot->name()).status());
  Submit(*worker.jobs, run, 0, count, clip);
  const auto metrics = MakeServiceMetrics("test");
  ScanWorkerOptions options;
  options.count = 2;
  options.worker = worker.slot->name();
  const auto pool = StartScanWorkers(*worker.jobs, worker.Handler(), options, *metrics);
  const std::int64_t ended = WaitUntilIdle(*worker.jobs);
  if (more > 0) {
    SayFigures(ended);
    Submit(*worker.jobs, run, count, more, clip);
    SayFigures(WaitUntilIdle(*worker.jobs));
  }
  return pool->Drain(1min) ? 0 : 1;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) {
  if (argc < 5 || argc > 6) return 64;
  mallopt(M_ARENA_MAX, 1);  // as the glint program does
  return glint::Main(argv[1], argv[2], argv[3], std::atoi(argv[4]),
                     argc > 5 ? std::atoi(argv[5]) : 0);
}
