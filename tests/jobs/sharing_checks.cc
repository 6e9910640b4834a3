// SPDX-License-Identifier: Apache-2.0
#include "jobs/sharing_checks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "support/status_matchers.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::_;

}  // namespace

void ExpectEachJobClaimedOnce(const std::vector<std::unique_ptr<JobStore>>& stores, int jobs) {
  for (int i = 0; i < jobs; ++i) {
    ASSERT_THAT(stores[0]->Submit({"scan-" + std::to_string(i), "r", ""}), IsOk());
  }
  std::mutex mutex;
  std::map<std::string, int> claims;
  {
    std::vector<std::jthread> workers;
    workers.reserve(2 * stores.size());
    for (std::size_t w = 0; w < 2 * stores.size(); ++w) {
      workers.emplace_back([&, w] {
        JobStore& store = *stores[w % stores.size()];
        while (true) {
          const auto claimed = store.Claim("worker-" + std::to_string(w), 1h);
          ASSERT_THAT(claimed, IsOk());
          if (!*claimed) return;
          {
            const std::scoped_lock lock(mutex);
            ++claims[(*claimed)->job.scan_id];
          }
          EXPECT_THAT(store.Record((*claimed)->lease, {ScanStep::kDecoding}), IsOk());
          EXPECT_THAT(store.Complete((*claimed)->lease, "result"), IsOk());
        }
      });
    }
  }
  EXPECT_EQ(std::ssize(claims), jobs);
  for (const auto& [scan_id, times] : claims) EXPECT_EQ(times, 1) << scan_id;
  EXPECT_EQ(stores[0]->Counts()->succeeded, jobs);
}

void ExpectOneJobOfEachId(const std::vector<std::unique_ptr<JobStore>>& stores) {
  constexpr int kJobs = 10;
  std::atomic<int> created = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kJobs; ++i) {
          const auto submitted =
              stores[t % stores.size()]->Submit({"scan-" + std::to_string(i), "r", ""});
          ASSERT_THAT(submitted, IsOk());
          if (submitted->created) ++created;
        }
      });
    }
  }
  EXPECT_EQ(created, kJobs);
}

void ExpectTenJobsAccepted(const std::vector<std::unique_ptr<JobStore>>& stores, int each) {
  std::atomic<int> accepted = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(6);
    for (std::size_t t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < each; ++i) {
          const std::string id = std::to_string(t) + "-" + std::to_string(i);
          const auto submitted = stores[t % stores.size()]->Submit({id, "r", ""});
          if (submitted.ok()) {
            ++accepted;
          } else {
            EXPECT_THAT(submitted, FailsWith(ServiceReason::kQueueFull, _));
          }
        }
      });
    }
  }
  EXPECT_EQ(accepted, 10);
  EXPECT_EQ(stores[0]->Counts()->queued, 10);
}

}  // namespace glint
