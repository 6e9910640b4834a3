// SPDX-License-Identifier: Apache-2.0
// Many threads on one store, and two stores (as in two processes) on one file.
#include <SQLiteCpp/SQLiteCpp.h>
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

TEST_F(SqliteSharing, AClockThatIsSetEndsNoLeaseAndKeepsNone) {
  JobTime wall(std::chrono::hours(1'000'000));
  JobTime since_boot(std::chrono::hours(5));
  auto store = OpenSqliteJobs(
      file_, {}, {.now = [&] { return wall; }, .lease_now = [&] { return since_boot; }});
  ASSERT_THAT(store, IsOk());
  ASSERT_THAT((*store)->Submit({"a", "r", ""}), IsOk());
  ASSERT_TRUE((*store)->Claim("one", 30s)->has_value());
  wall += std::chrono::days(1);
  EXPECT_FALSE((*store)->Claim("two", 30s)->has_value()) << "a day later by the clock on the wall";
  wall -= std::chrono::days(3);
  since_boot += 31s;
  EXPECT_TRUE((*store)->Claim("two", 30s)->has_value()) << "its worker has died, two days ago";
}

TEST_F(SqliteSharing, NoticesOfEndsSurviveWhoMustSendThem) {
  JobTime now(std::chrono::hours(1'000'000));
  const JobLimits limits{.notify = {"webhook", "row"}};
  const auto open = [&] {
    auto store = OpenSqliteJobs(file_, limits, {.now = [&] { return now; }});
    EXPECT_THAT(store, IsOk());
    return *std::move(store);
  };
  const auto take = [](JobStore& store, const char* target) {
    const auto notice = store.TakeNotice(target, 60s);
    EXPECT_THAT(notice, IsOk());
    return notice->has_value() ? (*notice)->attempts : 0;
  };
  {
    const auto store = open();
    ASSERT_THAT(store->Submit({"a", "r", ""}), IsOk());
    EXPECT_EQ(take(*store, "webhook"), 0) << "it has not ended";
    ASSERT_THAT(store->Cancel("a"), IsOk());
    EXPECT_EQ(take(*store, "webhook"), 0) << "it may be told at once";
  }
  now += 31s;
  const auto store = open();
  EXPECT_EQ(take(*store, "webhook"), 1);
  EXPECT_EQ(take(*store, "webhook"), 0) << "somebody is at it";
  now += 61s;
  EXPECT_EQ(take(*store, "webhook"), 2) << "and died";
  ASSERT_THAT(store->DelayNotice("a", "webhook", 10s), IsOk());
  now += 11s;
  EXPECT_EQ(take(*store, "webhook"), 3);
  ASSERT_THAT(store->EndNotice("a", "webhook"), IsOk());
  now -= std::chrono::days(2);
  EXPECT_EQ(take(*store, "webhook"), 0) << "told";
  EXPECT_EQ(take(*store, "row"), 1) << "also when the clock was set back";
}

TEST_F(SqliteSharing, LeasesOfAnEarlierStartOfTheMachineHaveEnded) {
  const auto store = Open();
  ASSERT_THAT(store->Submit({"a", "r", ""}), IsOk());
  ASSERT_TRUE(store->Claim("one", 1h)->has_value());
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE glint_jobs SET lease_boot = 'another'");
  EXPECT_TRUE(store->Claim("two", 1h)->has_value());
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
