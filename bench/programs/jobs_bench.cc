// SPDX-License-Identifier: Apache-2.0
// How fast workers get through a queue: each claims a scan, waits, and completes it, on connections
// of its own as on a machine of its own. bench/scripts/queue_bench.py fills the queue.
//   jobs_bench PLACE WORKERS SECONDS [WAIT_MS [SUBMIT [LISTENERS]]]
// PLACE is postgresql://... or a file of SQLite. With 0 workers it makes the tables only; SUBMIT
// scans are submitted first, one after the other. LISTENERS are as many more workers that hear of
// every change and claim nothing, as those whose lanes are busy.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "glint/error.h"
#include "jobs/postgres_jobs.h"
#include "jobs/sqlite_jobs.h"

namespace glint {
namespace {

using Clock = std::chrono::steady_clock;

/// What one worker has seen.
struct Seen {
  std::vector<double> claim_ms, complete_ms;
  int failures = 0;
};

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void Work(JobStore& jobs, const std::string& name, Clock::time_point until,
          std::chrono::milliseconds wait, Seen& seen) {
  while (Clock::now() < until) {
    const auto start = Clock::now();
    const auto claimed = jobs.Claim(name, std::chrono::minutes(1));
    if (!claimed.ok() || !*claimed) {
      ++seen.failures;
      continue;
    }
    seen.claim_ms.push_back(MillisecondsSince(start));
    std::this_thread::sleep_for(wait);
    const auto ending = Clock::now();
    if (!jobs.Complete((*claimed)->lease, "result").ok()) ++seen.failures;
    seen.complete_ms.push_back(MillisecondsSince(ending));
  }
}

/// The value below which so many of a hundred lie.
double Percentile(std::vector<double>& values, int percent) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto index = values.size() * static_cast<std::size_t>(percent) / 100;
  return values[std::min(values.size() - 1, index)];
}

void Submit(JobStore& jobs, int scans) {
  std::vector<double> submit_ms;
  for (int i = 0; i < scans; ++i) {
    const auto start = Clock::now();
    const auto submitted = jobs.Submit({fmt::format("submitted-{}", i), std::string(150, 'r'), ""});
    if (submitted.ok()) submit_ms.push_back(MillisecondsSince(start));
  }
  fmt::print("{} submitted: half within {:.2f} ms, 99 % within {:.2f} ms\n", submit_ms.size(),
             Percentile(submit_ms, 50), Percentile(submit_ms, 99));
}

int Run(const std::string& place, int workers, std::chrono::seconds time,
        std::chrono::milliseconds wait, int scans, int listeners) {
  const JobLimits limits{.queue_capacity = 1'000'000};
  std::vector<std::unique_ptr<JobStore>> stores;
  for (int i = 0; i < std::max(1, workers) + listeners; ++i) {
    auto store = place.find("://") == std::string::npos ? OpenSqliteJobs(place, limits)
                                                        : OpenPostgresJobs(place, limits);
    if (!store.ok()) {
      fmt::print(stderr, "{}\n", Message(store.status()));
      return 1;
    }
    stores.push_back(*std::move(store));
  }
  if (scans > 0) Submit(*stores.front(), scans);
  std::atomic<std::int64_t> heard = 0;
  std::vector<std::unique_ptr<JobSubscription>> subscriptions;
  for (int i = 0; i < listeners; ++i) {
    const auto at = static_cast<std::size_t>(std::max(1, workers) + i);
    subscriptions.push_back(
        stores[at]->Subscribe([&](const std::string&) { ++heard; }, JobChanges::kAll));
  }
  std::vector<Seen> seen(static_cast<std::size_t>(workers));
  const auto start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < workers; ++i) {
      const auto at = static_cast<std::size_t>(i);
      threads.emplace_back([&, at, name = fmt::format("bench-{}", i)] {
        Work(*stores[at], name, start + time, wait, seen[at]);
      });
    }
  }
  const double seconds = MillisecondsSince(start) / 1e3;
  Seen all;
  for (const Seen& one : seen) {
    std::ranges::copy(one.claim_ms, std::back_inserter(all.claim_ms));
    std::ranges::copy(one.complete_ms, std::back_inserter(all.complete_ms));
    all.failures += one.failures;
  }
  if (workers == 0) return 0;
  const auto claims = static_cast<double>(all.claim_ms.size());
  fmt::print("| {} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {} |\n", workers, claims / seconds,
             Percentile(all.claim_ms, 50), Percentile(all.claim_ms, 99),
             Percentile(all.complete_ms, 99), all.failures);
  if (listeners > 0) {
    fmt::print("{} listeners heard {:.0f} changes a second each\n", listeners,
               static_cast<double>(heard) / seconds / listeners);
  }
  return 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) {
  if (argc < 4 || argc > 7) {
    fmt::print(stderr, "usage: jobs_bench PLACE WORKERS SECONDS [WAIT_MS [SUBMIT [LISTENERS]]]\n");
    return 64;
  }
  return glint::Run(argv[1], std::atoi(argv[2]), std::chrono::seconds(std::atoi(argv[3])),
                    std::chrono::milliseconds(argc > 4 ? std::atoi(argv[4]) : 0),
                    argc > 5 ? std::atoi(argv[5]) : 0, argc > 6 ? std::atoi(argv[6]) : 0);
}
