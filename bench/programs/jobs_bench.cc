// SPDX-License-Identifier: Apache-2.0
// How fast workers get through a shared queue: each claims a scan, waits, and completes it, on
// connections of its own as on a machine of its own. bench/scripts/queue_bench.py fills the queue.
//   jobs_bench URL WORKERS SECONDS [WAIT_MS]   with 0 workers it makes the tables only
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "glint/error.h"
#include "jobs/postgres_jobs.h"

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

int Run(const std::string& url, int workers, std::chrono::seconds time,
        std::chrono::milliseconds wait) {
  std::vector<std::unique_ptr<JobStore>> stores;
  for (int i = 0; i < std::max(1, workers); ++i) {
    auto store = OpenPostgresJobs(url, {.queue_capacity = 1'000'000});
    if (!store.ok()) {
      fmt::print(stderr, "{}\n", Message(store.status()));
      return 1;
    }
    stores.push_back(*std::move(store));
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
  return 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5) {
    fmt::print(stderr, "usage: jobs_bench URL WORKERS SECONDS [WAIT_MS]\n");
    return 64;
  }
  return glint::Run(argv[1], std::atoi(argv[2]), std::chrono::seconds(std::atoi(argv[3])),
                    std::chrono::milliseconds(argc > 4 ? std::atoi(argv[4]) : 0));
}
