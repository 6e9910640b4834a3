// SPDX-License-Identifier: Apache-2.0
// A worker to be killed: submits jobs and works on them at once, and says on stdout what was
// acknowledged, one line per call, written in one piece.
//   glint_jobs_victim FOLDER RUN JOBS    submits JOBS jobs named RUN-0, RUN-1, ... and works until
//                                        nothing is left
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "jobs/sqlite_jobs.h"
#include "jobs/worker_slot.h"
#include "support/victim.h"

namespace glint {
namespace {

using namespace std::chrono_literals;

void SubmitAll(JobStore& jobs, const std::string& run, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string id = fmt::format("{}-{}", run, i);
    Must(jobs.Submit({id, "request of " + id, "url"}).status());
    Say(fmt::format("SUBMITTED {}\n", id));
  }
}

/// @return whether there was something to do
bool WorkOnce(JobStore& jobs, const std::string& worker) {
  auto claimed = jobs.Claim(worker, 1h);
  Must(claimed.status());
  if (!*claimed) return false;
  const JobLease& lease = (*claimed)->lease;
  if ((*claimed)->attempts_exhausted) {
    Must(jobs.Fail(lease, *(*claimed)->attempts_exhausted));
    return true;
  }
  Must(jobs.Record(lease, {.step = ScanStep::kMeasuring, .fraction = 0.5}));
  Must(jobs.Heartbeat(lease, 1h).status());
  const std::string result = fmt::format("{}", lease.fence);
  Must(jobs.Complete(lease, result));
  Say(fmt::format("COMPLETED {} {}\n", lease.scan_id, result));
  return true;
}

int Main(const std::filesystem::path& folder, const std::string& run, int count) {
  auto slot = TakeWorkerSlot(folder);
  Must(slot.status());
  auto jobs = OpenSqliteJobs(folder / "jobs.db", {.queue_capacity = 1'000'000});
  Must(jobs.status());
  Must((*jobs)->ExpireLeasesOf((*slot)->name()).status());
  std::jthread submitter([&] { SubmitAll(**jobs, run, count); });
  while (WorkOnce(**jobs, (*slot)->name())) {
  }
  submitter.join();
  while (WorkOnce(**jobs, (*slot)->name())) {
  }
  return 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) {
  if (argc != 4) return 64;
  return glint::Main(argv[1], argv[2], std::atoi(argv[3]));
}
