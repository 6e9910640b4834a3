// SPDX-License-Identifier: Apache-2.0
// Many threads on one store, and two stores (as in two processes) on one file.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "jobs/sqlite_jobs.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::_;

class SqliteSharing : public testing::Test {
 protected:
  std::unique_ptr<JobStore> Open(const JobLimits& limits = {}) {
    auto store = OpenSqliteJobs(file_, limits, {.busy_wait = 60s, .poll_interval = 5ms});
    EXPECT_THAT(store, IsOk());
    return *std::move(store);
  }

  const TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "jobs.db";
};

TEST_F(SqliteSharing, ManyOpenANewFileAtOnce) {
  // Many files: that one process finds the file empty while another fills it is rare.
  for (int file = 0; file < 25; ++file) {
    file_ = folder_.path() / (std::to_string(file) + ".db");
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([this, i] {
        EXPECT_THAT(Open()->Submit({"scan-" + std::to_string(i), "r", ""}), IsOk());
      });
    }
    threads.clear();
    EXPECT_EQ(Open()->Counts()->queued, 8);
  }
}

TEST_F(SqliteSharing, TheOtherStoresChangesAreSeenAndHeard) {
  const auto here = Open();
  const auto there = Open();
  std::mutex mutex;
  std::condition_variable heard;
  bool changed = false;
  const auto subscription = here->Subscribe([&](const std::string& scan_id) {
    const std::scoped_lock lock(mutex);
    changed = scan_id == "a";
    heard.notify_all();
  });
  ASSERT_THAT(there->Submit({"a", "r", ""}), IsOk());
  EXPECT_THAT(here->Get("a"), IsOk());
  std::unique_lock lock(mutex);
  EXPECT_TRUE(heard.wait_for(lock, 20s, [&] { return changed; }));
}

TEST_F(SqliteSharing, TwoWorkersNeverHoldTheSameJob) {
  constexpr int kJobs = 60;
  const std::unique_ptr<JobStore> stores[] = {Open(), Open()};
  for (int i = 0; i < kJobs; ++i) {
    ASSERT_THAT(stores[0]->Submit({"scan-" + std::to_string(i), "r", ""}), IsOk());
  }
  std::mutex mutex;
  std::map<std::string, int> claims;
  {
    std::vector<std::jthread> workers;
    workers.reserve(4);
    for (int w = 0; w < 4; ++w) {
      workers.emplace_back([&, w] {
        JobStore& store = *stores[w % 2];
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
  EXPECT_EQ(claims.size(), kJobs);
  for (const auto& [scan_id, times] : claims) EXPECT_EQ(times, 1) << scan_id;
  EXPECT_EQ(stores[0]->Counts()->succeeded, kJobs);
}

TEST_F(SqliteSharing, ThreadsThatSubmitTheSameJobMakeOne) {
  const auto store = Open();
  std::atomic<int> created = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) {
          const auto submitted = store->Submit({"scan-" + std::to_string(i), "r", ""});
          ASSERT_THAT(submitted, IsOk());
          if (submitted->created) ++created;
        }
      });
    }
  }
  EXPECT_EQ(created, 10);
}

TEST_F(SqliteSharing, TheQueueIsNeverFullerThanAllowed) {
  const auto store = Open({.queue_capacity = 10});
  std::atomic<int> accepted = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(6);
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          const std::string id = std::to_string(t) + "-" + std::to_string(i);
          const auto submitted = store->Submit({id, "r", ""});
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
  EXPECT_EQ(store->Counts()->queued, 10);
}

/// Readers, cancellers, subscribers and workers at once: for the sanitizers, and for deadlocks.
TEST_F(SqliteSharing, AllCallsMayRunAtOnce) {
  const auto store = Open({.keep_ended_count = 5});
  std::atomic<int> heard = 0;
  const auto subscription = store->Subscribe([&](const std::string&) { ++heard; });
  {
    const std::jthread submitter([&] {
      for (int i = 0; i < 40; ++i) {
        EXPECT_THAT(store->Submit({"scan-" + std::to_string(i), "r", ""}), IsOk());
      }
    });
    const std::jthread worker([&] {
      for (int i = 0; i < 40; ++i) {
        const auto claimed = store->Claim("worker", 1h);
        ASSERT_THAT(claimed, IsOk());
        if (!*claimed) continue;
        EXPECT_THAT(store->Heartbeat((*claimed)->lease, 1h), IsOk());
        EXPECT_THAT(store->Complete((*claimed)->lease, "result"), IsOk());
      }
    });
    const std::jthread reader([&] {
      for (int i = 0; i < 40; ++i) {
        EXPECT_THAT(store->List("", 10, std::nullopt), IsOk());
        EXPECT_THAT(store->Counts(), IsOk());
        EXPECT_THAT(store->Sweep(), IsOk());
        const auto cancelled = store->Cancel("scan-" + std::to_string(i));
        EXPECT_TRUE(cancelled.ok() ||
                    FailureReasonOf(cancelled.status()) == ServiceReason::kScanNotFound);
      }
    });
    const std::jthread subscriber([&] {
      for (int i = 0; i < 40; ++i) const auto brief = store->Subscribe([](const std::string&) {});
    });
  }
  EXPECT_EQ(store->Counts()->running, 0);
}

}  // namespace
}  // namespace glint
