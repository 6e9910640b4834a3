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

#include "jobs/sharing_checks.h"
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
  std::vector<std::unique_ptr<JobStore>> OpenSome(int count, const JobLimits& limits = {}) {
    std::vector<std::unique_ptr<JobStore>> stores;
    stores.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) stores.push_back(Open(limits));
    return stores;
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

TEST_F(SqliteSharing, ScansOfAFileBeforeTiersAndOwnersKeepTheirOrder) {
  for (const char* id : {"c", "a", "b"}) ASSERT_THAT(Open()->Submit({id, "r", ""}), IsOk());
  {
    SQLite::Database file(file_.string(), SQLite::OPEN_READWRITE);
    for (const char* table : {"turns", "usage", "workers"}) {
      file.exec(std::string("DROP TABLE glint_") + table);
    }
    for (const char* index : {"by_turn", "of_owner_by_turn", "of_owner", "of_batch"}) {
      file.exec(std::string("DROP INDEX glint_jobs_") + index);
    }
    for (const char* column :
         {"owner", "tier", "batch", "turn", "running_quota", "device", "placed", "trace"}) {
      file.exec(std::string("ALTER TABLE glint_jobs DROP COLUMN ") + column);
    }
    file.exec("DELETE FROM glint_schema WHERE version >= 5");
  }
  const auto store = Open();
  ASSERT_THAT(store->Submit({"new", "r", ""}), IsOk());
  EXPECT_EQ(store->Get("new")->queue_position, 3);
  for (const char* id : {"c", "a", "b", "new"}) {
    EXPECT_EQ((*store->Claim("worker", 1h))->job.scan_id, id);
  }
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

TEST_F(SqliteSharing, TwoWorkersNeverHoldTheSameJob) { ExpectEachJobClaimedOnce(OpenSome(2), 60); }

TEST_F(SqliteSharing, ThreadsThatSubmitTheSameJobMakeOne) { ExpectOneJobOfEachId(OpenSome(1)); }

TEST_F(SqliteSharing, TheQueueIsNeverFullerThanAllowed) {
  ExpectTenJobsAccepted(OpenSome(1, {.queue_capacity = 10}), 50);
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
        EXPECT_THAT(store->List("", 10, {}), IsOk());
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
