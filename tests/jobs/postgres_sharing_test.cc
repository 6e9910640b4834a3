// SPDX-License-Identifier: Apache-2.0
// Many threads on one store, and several stores (as of workers on several machines) on one
// PostgreSQL database.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "jobs/postgres_jobs.h"
#include "jobs/sharing_checks.h"
#include "support/postgres_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::_;
using testing::AllOf;
using testing::HasSubstr;

/// What a subscription has told.
class Heard {
 public:
  Heard(JobStore& store, JobChanges which)
      : subscription_(store.Subscribe(
            [this](const std::string& scan_id) {
              const std::scoped_lock lock(mutex_);
              ++times_[scan_id];
              changed_.notify_all();
            },
            which)) {}
  bool Hears(const std::string& scan_id, int times = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return times_[scan_id] >= times; });
  }
  int Times(const std::string& scan_id) {
    const std::scoped_lock lock(mutex_);
    return times_[scan_id];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> times_;
  std::unique_ptr<JobSubscription> subscription_;
};

class PostgresSharing : public testing::Test {
 protected:
  void SetUp() override {
    if (TestPostgres::Get() == nullptr) {
      GTEST_SKIP() << "PostgreSQL is not installed (scripts/setup.sh --tests)";
    }
    url_ = TestPostgres::Get()->MakeDatabase();
  }
  std::unique_ptr<JobStore> Open(const JobLimits& limits = {},
                                 const PostgresJobsOptions& options = {}) {
    auto store = OpenPostgresJobs(url_, limits, options);
    EXPECT_THAT(store, IsOk());
    return *std::move(store);
  }
  std::vector<std::unique_ptr<JobStore>> OpenSome(int count, const JobLimits& limits = {}) {
    std::vector<std::unique_ptr<JobStore>> stores;
    stores.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) stores.push_back(Open(limits));
    return stores;
  }

  std::string url_;
};

TEST_F(PostgresSharing, ManyOpenANewDatabaseAtOnce) {
  // Many databases: that one waits for the lock while another makes the tables is a matter of luck.
  for (int database = 0; database < 5; ++database) {
    url_ = TestPostgres::Get()->MakeDatabase();
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([this, i] {
        EXPECT_THAT(Open()->Submit({"scan-" + std::to_string(i), "r", ""}), IsOk());
      });
    }
    threads.clear();
    EXPECT_EQ(Open()->Counts()->queued, 8);
    EXPECT_EQ(RunSql(url_, "SELECT count(*) FROM glint_schema"), "4");
  }
}

TEST_F(PostgresSharing, TablesOfANewerGlintAreUsedWhereItSaysSoAndRefusedOtherwise) {
  const auto before = Open();
  RunSql(url_, "INSERT INTO glint_schema VALUES (1000, 1, 0)");
  EXPECT_THAT(Open()->Submit({"a", "r", ""}), IsOk());
  RunSql(url_, "INSERT INTO glint_schema VALUES (1001, 1001, 0)");
  EXPECT_THAT(OpenPostgresJobs(url_, {}),
              FailsWith(ServiceReason::kJobStoreUnavailable,
                        AllOf(HasSubstr("1001"), HasSubstr("newer glint"))));
  EXPECT_THAT(before->Get("a"), IsOk()) << "who works goes on while others migrate";
}

TEST_F(PostgresSharing, ScansOfTheTablesBeforeTiersAndOwnersKeepTheirOrder) {
  for (const char* id : {"c", "a", "b"}) ASSERT_THAT(Open()->Submit({id, "r", ""}), IsOk());
  RunSql(
      url_,
      "DROP TABLE glint_turns, glint_usage, glint_workers, glint_counted, glint_tier_counts; DROP "
      "INDEX glint_jobs_by_turn, "
      "glint_jobs_of_owner_by_turn, glint_jobs_of_owner, glint_jobs_of_batch; ALTER TABLE "
      "glint_jobs DROP COLUMN owner, DROP COLUMN tier, DROP COLUMN batch, DROP COLUMN turn, DROP "
      "COLUMN running_quota, DROP COLUMN device, DROP COLUMN placed, DROP COLUMN trace; DELETE "
      "FROM glint_schema WHERE version > 1");
  const auto store = Open();
  EXPECT_EQ(RunSql(url_, "SELECT readable_from FROM glint_schema WHERE version = 2"), "2");
  ASSERT_THAT(store->Submit({"new", "r", ""}), IsOk());
  EXPECT_EQ(store->Get("new")->queue_position, 3);
  for (const char* id : {"c", "a", "b", "new"}) {
    EXPECT_EQ((*store->Claim("worker", 1h))->job.scan_id, id);
  }
}

/// Turns are taken outside of the transactions that use them.
TEST_F(PostgresSharing, AnOwnersTurnsAreItsOwnHoweverManySubmitForIt) {
  const auto stores = OpenSome(2);
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          const std::string id = JobId("flood", std::to_string(t) + "-" + std::to_string(i));
          EXPECT_THAT(stores[t % 2]->Submit({.scan_id = id, .owner = "flood"}), IsOk());
        }
      });
    }
  }
  EXPECT_EQ(RunSql(url_, "SELECT count(DISTINCT turn) FROM glint_jobs"), "160");
  EXPECT_EQ(RunSql(url_, "SELECT max(turn) - min(turn) FROM glint_jobs"), "159");
}

/// The same list at four workers, each from another end: as of a client that lost its call.
TEST_F(PostgresSharing, ManyThatAreSubmittedAtOnceAreMadeOnce) {
  const auto stores = OpenSome(2);
  std::atomic<int> created = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int piece = 0; piece < 5; ++piece) {
          std::vector<NewJob> jobs;
          for (int i = 0; i < 60; ++i) {
            const int number = (piece * 60 + i * (t % 2 == 0 ? 1 : -1) + 300) % 300;
            jobs.push_back({.scan_id = JobId("site", std::to_string(number)), .owner = "site"});
          }
          const auto submitted = stores[t % 2]->SubmitAll(jobs);
          ASSERT_THAT(submitted, IsOk());
          for (const auto& one : *submitted) {
            EXPECT_THAT(one, IsOk());
            if (one.ok() && one->created) ++created;
          }
        }
      });
    }
  }
  EXPECT_EQ(created, 300);
  EXPECT_EQ(RunSql(url_, "SELECT count(DISTINCT turn) FROM glint_jobs"), "300");
}

TEST_F(PostgresSharing, OneWorkerCountsWhatWaitsForAll) {
  const auto one = Open();
  const auto two = Open();
  ASSERT_THAT(one->Submit({.scan_id = "a", .tier = "free"}), IsOk());
  EXPECT_EQ(one->RecentTiers()->size(), 1);
  ASSERT_THAT(one->Submit({.scan_id = "b", .tier = "free"}), IsOk());
  ASSERT_EQ(two->RecentTiers()->size(), 1);
  EXPECT_EQ(two->RecentTiers()->front().queued, 1) << "as the other has counted";
  EXPECT_EQ(two->Tiers()->front().queued, 2);
  for (const char* wrong : {"0", "at_us + 3600000000"}) {  // old, or of a clock that was set back
    RunSql(url_, fmt::format("UPDATE glint_counted SET at_us = {}", wrong));
    RunSql(url_, "UPDATE glint_tier_counts SET queued = 1000");
    EXPECT_EQ(two->RecentTiers()->front().queued, 2) << wrong;
  }
  ASSERT_THAT(one->Cancel("a"), IsOk());
  ASSERT_THAT(one->Cancel("b"), IsOk());
  RunSql(url_, "UPDATE glint_counted SET at_us = 0");
  EXPECT_TRUE(one->RecentTiers()->empty());
  EXPECT_TRUE(two->RecentTiers()->empty());
}

TEST_F(PostgresSharing, AnOwnersQuotaHoldsHoweverManySubmitForIt) {
  const auto stores = OpenSome(2);
  std::atomic<int> accepted = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(6);
    for (std::size_t t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 10; ++i) {
          const std::string id = JobId("flood", std::to_string(t) + "-" + std::to_string(i));
          const auto submitted = stores[t % 2]->Submit(
              {.scan_id = id, .owner = "flood", .quotas = {.queued = 10, .running = 2}});
          if (submitted.ok()) ++accepted;
        }
      });
    }
  }
  EXPECT_EQ(accepted, 10);
  int ran = 0;
  for (; ran < 10; ran += 2) {  // two at once, and none is forgotten
    const auto one = stores[0]->Claim("worker", 1h);
    const auto two = stores[1]->Claim("worker", 1h);
    ASSERT_TRUE(one->has_value() && two->has_value()) << ran;
    EXPECT_FALSE(stores[0]->Claim("worker", 1h)->has_value());
    const std::jthread end_one(
        [&] { EXPECT_THAT(stores[0]->Complete((*one)->lease, "result"), IsOk()); });
    EXPECT_THAT(stores[1]->Complete((*two)->lease, "result"), IsOk());
  }
  EXPECT_EQ(stores[0]->Counts()->succeeded, 10);
}

TEST_F(PostgresSharing, ARoleThatMayMakeNoTablesIsToldSo) {
  RunSql(url_, "REVOKE ALL ON SCHEMA public FROM PUBLIC");
  RunSql(url_, "DROP SCHEMA public");
  RunSql(url_, "CREATE SCHEMA public");
  RunSql(url_, "REVOKE CREATE ON SCHEMA public FROM glint");
  EXPECT_THAT(OpenPostgresJobs(url_, {}),
              FailsWith(ServiceReason::kJobStoreUnavailable, HasSubstr("CREATE")));
}

TEST_F(PostgresSharing, OtherRolesSeeNothingThoughTheyMayRead) {
  const auto store = Open();
  ASSERT_THAT(store->Submit({"a", "signed URL", ""}), IsOk());
  RunSql(url_, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC");
  const std::string as_other = "SET ROLE pg_monitor; SELECT count(*) FROM glint_jobs";
  EXPECT_EQ(RunSql(url_, "SELECT count(*) FROM glint_jobs"), "1");
  EXPECT_EQ(RunSql(TestPostgres::Get()->AdministratorUrl(url_), as_other), "0");
}

TEST_F(PostgresSharing, LeasesCountByTheServersClock) {
  const auto store = Open();
  ASSERT_THAT(store->Submit({"a", "r", ""}), IsOk());
  const auto claimed = store->Claim("one", 300ms);
  ASSERT_THAT(claimed, IsOk());
  ASSERT_TRUE(*claimed);
  EXPECT_FALSE(store->Claim("two", 1h)->has_value());
  std::this_thread::sleep_for(400ms);
  EXPECT_TRUE(Open()->Claim("two", 1h)->has_value());
  EXPECT_THAT(store->Complete((*claimed)->lease, "late"), FailsWith(ServiceReason::kClaimLost, _));
}

TEST_F(PostgresSharing, TheOtherStoresChangesAreHeardAtOnce) {
  const auto here = Open({}, {.poll_interval = 1h});  // by NOTIFY alone
  const auto there = Open();
  Heard all(*here, JobChanges::kAll);
  ASSERT_THAT(there->Submit({"a", "r", ""}), IsOk());
  EXPECT_TRUE(all.Hears("a"));
  const auto claimed = there->Claim("worker", 1h);
  EXPECT_TRUE(all.Hears("a", 2));
  ASSERT_THAT(here->Cancel("a"), IsOk());
  EXPECT_TRUE(all.Hears("a", 3));
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(all.Times("a"), 3) << "what this process wrote is not told again by NOTIFY";
}

TEST_F(PostgresSharing, EachKindOfSubscriberHearsOfItsChangesOnly) {
  const auto here = Open();
  const auto there = Open();
  Heard own(*here, JobChanges::kOwn);
  Heard claimable(*here, JobChanges::kClaimable);
  ASSERT_THAT(there->Submit({"theirs", "r", ""}), IsOk());
  ASSERT_THAT(here->Submit({"ours", "r", ""}), IsOk());
  EXPECT_TRUE(claimable.Hears("theirs"));
  EXPECT_TRUE(claimable.Hears("ours"));
  EXPECT_TRUE(own.Hears("ours"));
  const auto claimed = there->Claim("worker", 1h);
  ASSERT_THAT(there->Record((*claimed)->lease, {ScanStep::kDecoding}), IsOk());
  ASSERT_THAT(here->Submit({"marker", "r", ""}), IsOk());
  EXPECT_TRUE(own.Hears("marker"));
  EXPECT_EQ(own.Times("theirs"), 0);
  EXPECT_EQ(claimable.Times("theirs"), 1) << "one that runs cannot be claimed";
}

TEST_F(PostgresSharing, WhatNobodyNotifiedIsFoundByLooking) {
  const auto here = Open({}, {.poll_interval = 50ms});
  ASSERT_THAT(here->Submit({"a", "r", ""}), IsOk());
  Heard all(*here, JobChanges::kAll);
  // As of a worker that died between its commit and its NOTIFY; and as of two whose transactions
  // end in another order than they began: the later number becomes visible first.
  RunSql(url_, "UPDATE glint_jobs SET change = nextval('glint_change_number') WHERE scan_id = 'a'");
  EXPECT_TRUE(all.Hears("a"));
}

TEST_F(PostgresSharing, ManyWorkersNeverHoldTheSameJob) {
  ExpectEachJobClaimedOnce(OpenSome(3), 120);
}

TEST_F(PostgresSharing, WorkersThatSubmitTheSameJobMakeOne) { ExpectOneJobOfEachId(OpenSome(2)); }

TEST_F(PostgresSharing, TheQueueIsNeverFullerThanAllowed) {
  ExpectTenJobsAccepted(OpenSome(2, {.queue_capacity = 10}), 20);
}

/// Readers, cancellers, subscribers and workers at once: for the sanitizers, and for deadlocks.
TEST_F(PostgresSharing, AllCallsMayRunAtOnce) {
  const auto store = Open({.keep_ended_count = 5}, {.connections = 3});
  const auto other = Open({.keep_ended_count = 5});
  std::atomic<int> heard = 0;
  const auto subscription =
      store->Subscribe([&](const std::string&) { ++heard; }, JobChanges::kAll);
  {
    const std::jthread submitter([&] {
      for (int i = 0; i < 40; ++i) {
        EXPECT_THAT(store->Submit({"scan-" + std::to_string(i), "r", ""}), IsOk());
      }
    });
    const auto work = [](JobStore& jobs) {
      for (int i = 0; i < 40; ++i) {
        const auto claimed = jobs.Claim("worker", 1h);
        ASSERT_THAT(claimed, IsOk());
        if (!*claimed) continue;
        EXPECT_THAT(jobs.Heartbeat((*claimed)->lease, 1h), IsOk());
        EXPECT_THAT(jobs.Complete((*claimed)->lease, "result"), IsOk());
      }
    };
    const std::jthread worker([&] { work(*store); });
    const std::jthread another([&] { work(*other); });
    const std::jthread reader([&] {
      for (int i = 0; i < 40; ++i) {
        EXPECT_THAT(other->List("", 10, {}), IsOk());
        EXPECT_THAT(other->Counts(), IsOk());
        EXPECT_THAT(other->Sweep(), IsOk());
        const auto cancelled = other->Cancel("scan-" + std::to_string(i));
        EXPECT_TRUE(cancelled.ok() ||
                    FailureReasonOf(cancelled.status()) == ServiceReason::kScanNotFound)
            << cancelled.status();
      }
    });
    const std::jthread subscriber([&] {
      for (int i = 0; i < 40; ++i) {
        const auto brief = store->Subscribe([](const std::string&) {}, JobChanges::kAll);
      }
    });
  }
  EXPECT_EQ(store->Counts()->running, 0);
  EXPECT_GT(heard, 0);
}

TEST_F(PostgresSharing, AFarPlaceInTheQueueIsAnEstimateThatIsNeverTooLow) {
  const auto store = Open({.queue_capacity = 1'000'000});
  ASSERT_THAT(store->Submit({"first", "r", ""}), IsOk());
  RunSql(url_,
         "INSERT INTO glint_jobs (scan_id, number, change, request, shown_url, state, step, "
         "fraction, frames, frames_of, bytes, bytes_of, created_us, attempts, cancel_requested, "
         "last_seq, fence, turn) SELECT 'scan-' || n, nextval('glint_job_number'), 0, '', '', "
         "'queued', 'queued', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, n FROM generate_series(1, 12000) AS n; "
         "UPDATE glint_turns SET latest = 12000");
  EXPECT_EQ(store->Get("scan-5000")->queue_position, 5000);
  ASSERT_THAT(store->Cancel("scan-1"), IsOk());
  const auto last = store->Submit({"last", "r", ""});
  ASSERT_THAT(last, IsOk());
  EXPECT_GE(last->job.queue_position, 12'000);
  EXPECT_LE(last->job.queue_position, 12'001);
}

TEST_F(PostgresSharing, ScansThatHaveEndedDoNotSlowClaims) {
  const auto store = Open();
  RunSql(url_,
         "INSERT INTO glint_jobs (scan_id, number, change, request, shown_url, state, step, "
         "fraction, frames, frames_of, bytes, bytes_of, created_us, ended_us, attempts, "
         "cancel_requested, last_seq, fence) SELECT 'scan-' || n, nextval('glint_job_number'), 0, "
         "'', '', 'succeeded', 'done', 1, 0, 0, 0, 0, 0, n, 1, 0, 1, 0 FROM generate_series(1, "
         "20000) AS n");
  ASSERT_THAT(store->Submit({"a", "r", ""}), IsOk());
  RunSql(url_, "ANALYZE glint_jobs");
  const std::string plan = RunSql(
      url_,
      "EXPLAIN (FORMAT JSON) SELECT scan_id, created_us FROM glint_jobs WHERE state = 'queued' AND "
      "tier = '' AND turn < 4611686018427387904 ORDER BY turn, number LIMIT 1 FOR UPDATE SKIP "
      "LOCKED");
  EXPECT_THAT(plan, HasSubstr("glint_jobs_by_turn"));
  EXPECT_TRUE(store->Claim("worker", 1h)->has_value());
}

}  // namespace
}  // namespace glint
