// SPDX-License-Identifier: Apache-2.0
// How scan workers end, and what happens when the job store is away.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include "support/status_matchers.h"
#include "workers/scan_worker_test.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

using JobDrain = ScanWorkerTest;

TEST_F(JobDrain, RunningScansMayEndAndTheRestWaits) {
  std::atomic<bool> go_on = false;
  Submit("runs");
  Start([&](const ScanRequest& request, const ScanDeps& deps, const CancelToken& cancel) {
    WaitUntil([&] { return go_on.load(); });
    return PublishSmallResult(request, deps, cancel);
  });
  WaitUntil([&] { return pool_->running() == 1; });
  Submit("waits");
  const std::jthread later([&] {
    std::this_thread::sleep_for(50ms);
    go_on = true;
  });
  EXPECT_TRUE(pool_->Drain(1min));
  EXPECT_EQ(Get("runs").state, JobState::kSucceeded);
  EXPECT_EQ(Get("waits").state, JobState::kQueued);
}

TEST_F(JobDrain, AfterTheGraceScansAreStoppedAndGivenBack) {
  Submit("a");
  Start(WaitForStop);
  WaitUntil([&] { return pool_->running() == 1; });
  EXPECT_TRUE(pool_->Drain(10ms));
  const Job job = Get("a");
  EXPECT_EQ(job.state, JobState::kQueued);
  EXPECT_EQ(job.attempts, 0);
}

TEST_F(JobDrain, AScanThatDoesNotStopIsGivenBackWithoutIt) {
  std::atomic<bool> go_on = false;
  Submit("a");
  Start({.stop_grace = 50ms},
        [&](const ScanRequest& request, const ScanDeps& deps, const CancelToken&) {
          WaitUntil([&] { return go_on.load(); });
          return PublishSmallResult(request, deps, CancelToken());
        });
  WaitUntil([&] { return pool_->running() == 1; });
  EXPECT_FALSE(pool_->Drain(0ms));
  EXPECT_EQ(Get("a").state, JobState::kQueued);
  go_on = true;
  pool_.reset();
  EXPECT_EQ(Get("a").state, JobState::kQueued);
  EXPECT_THAT(store_.sets(), IsEmpty());
}

TEST_F(JobDrain, ACancelledJobIsNotGivenBack) {
  Submit("a");
  Start(WaitForStop);
  WaitUntil([&] { return pool_->running() == 1; });
  ASSERT_THAT(jobs_->Cancel("a"), IsOk());
  EXPECT_TRUE(pool_->Drain(0ms));
  EXPECT_EQ(Get("a").state, JobState::kCancelled);
}

TEST_F(JobDrain, APoolWithoutWorkEndsAtOnce) {
  Start({.count = 4}, PublishSmallResult);
  EXPECT_TRUE(pool_->Drain(1h));
  EXPECT_TRUE(pool_->Drain(1h));
}

TEST_F(JobDrain, AnEndThatCannotBeRecordedIsTriedAgain) {
  const auto file = folder_.path() / "locked.db";
  jobs_ = *OpenSqliteJobs(file, {}, {.busy_wait = 10ms});
  // The pool writes as it begins: the test waits for its lock, the pool soon gives up.
  SQLite::Database other(file.string(), SQLite::OPEN_READWRITE, /*aBusyTimeoutMs=*/60'000);
  std::unique_ptr<SQLite::Transaction> lock;
  std::atomic<bool> locked = false;
  Submit("a");
  Start([&](const auto&...) -> absl::StatusOr<ScanResult> {
    lock = std::make_unique<SQLite::Transaction>(other, SQLite::TransactionBehavior::IMMEDIATE);
    locked = true;
    return Error(Reason::kNotAVideo, "no video");
  });
  WaitUntil([&] { return locked && !MetricsSay("glint_job_store_failures_total 0\n"); });
  EXPECT_EQ(Get("a").state, JobState::kRunning);
  lock.reset();
  EXPECT_EQ(WaitForEnd("a").failure.value_or(JobFailure{}).reason, Reason::kNotAVideo);
  pool_.reset();
}

}  // namespace
}  // namespace glint
