// SPDX-License-Identifier: Apache-2.0
// A job ends once and its result is published once, whoever dies or falls behind.
#include <gmock/gmock.h>

#include "store/store_test_support.h"
#include "support/status_matchers.h"
#include "workers/completion_marker.h"
#include "workers/scan_worker_test.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

class PublishOnce : public ScanWorkerTest {
 protected:
  static absl::StatusOr<ScanResult> MustNotScan(const ScanRequest& request, const ScanDeps&,
                                                const CancelToken&) {
    ADD_FAILURE() << request.scan_id << " was scanned";
    return Error(Reason::kInternal, "not wanted");
  }
  /// A worker claims the job and dies, this often.
  void Die(int times) {
    for (int death = 0; death < times; ++death) {
      const auto claimed = jobs_->Claim("worker", 1h);
      ASSERT_THAT(claimed, IsOk());
      ASSERT_TRUE(*claimed);
      EXPECT_EQ(*jobs_->ExpireLeasesOf("worker"), 1);
    }
  }
  /// What a worker leaves that dies between publishing and completing.
  void PublishAndDie(const Job& job, const std::string& result) {
    const auto claimed = jobs_->Claim("worker", 1h);
    ASSERT_THAT(claimed, IsOk());
    ASSERT_TRUE(*claimed);
    auto set = store_.Begin(job.scan_id, CancelToken());
    ASSERT_THAT(set, IsOk());
    ASSERT_THAT(PutText(**set, "report.json", "{}"), IsOk());
    ASSERT_THAT(PutText(**set, kCompletionMarkerName, MakeCompletionMarker(job, result)), IsOk());
    ASSERT_THAT((*set)->Commit(), IsOk());
    EXPECT_EQ(*jobs_->ExpireLeasesOf("worker"), 1);
  }
};

TEST_F(PublishOnce, TheResultOfADeadWorkerIsTaken) {
  Submit("a");
  PublishAndDie(Get("a"), "result of the dead");
  Start(MustNotScan);
  const Job job = WaitForEnd("a");
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.result, "result of the dead");
  EXPECT_EQ(job.attempts, 2);
  EXPECT_TRUE(MetricsSay("glint_results_taken_total 1\n"));
}

TEST_F(PublishOnce, TheResultOfTheLastDeathIsTaken) {
  Submit("a");
  Die(2);
  PublishAndDie(Get("a"), "result of the dead");
  Start(MustNotScan);
  const Job job = WaitForEnd("a");
  EXPECT_EQ(job.state, JobState::kSucceeded);
  EXPECT_EQ(job.result, "result of the dead");
  EXPECT_EQ(job.attempts, 3);
}

TEST_F(PublishOnce, AScanThatIsGivenUpIsNotTriedAgain) {
  Submit("a");
  Die(3);
  Start(MustNotScan);
  const Job job = WaitForEnd("a");
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.failure.value_or(JobFailure{}).reason, ServiceReason::kWorkerDied);
  EXPECT_EQ(job.attempts, 3);
  EXPECT_THAT(store_.sets(), IsEmpty());
}

TEST_F(PublishOnce, ADrainDuringTheLastLookGivesTheScanNoFurtherAttempt) {
  Submit("a");
  Die(3);
  std::atomic<bool> asked = false;
  FaultyStore hanging(store_, {.complete = [&](const CancelToken& cancel) {
                        asked = true;
                        WaitUntil([&] { return !cancel.Check().ok(); });
                        return cancel.Check();
                      }});
  handler_.deps = [&](const Job&) { return ScanDeps{*fetcher_, hanging, devices_, threads_}; };
  Start(MustNotScan);
  WaitUntil([&] { return asked.load(); });
  EXPECT_TRUE(pool_->Drain(0ms));
  EXPECT_EQ(Get("a").state, JobState::kRunning);
  EXPECT_EQ(Get("a").attempts, 3);
  const auto claimed = jobs_->Claim("worker", 1h);
  ASSERT_THAT(claimed, IsOk());
  ASSERT_TRUE(*claimed);
  EXPECT_TRUE((*claimed)->attempts_exhausted);
}

TEST_F(PublishOnce, TheResultOfAnotherRequestStays) {
  Submit("a");
  PublishAndDie({.scan_id = "a", .request = "another"}, "other");
  Start(PublishSmallResult);
  const Job ended = WaitForEnd("a");
  ASSERT_TRUE(ended.failure);
  EXPECT_EQ(ended.failure->reason, ServiceReason::kScanConflict);
  EXPECT_EQ(
      *FindCompletedResult(store_, "a", {.scan_id = "a", .request = "another"}, CancelToken()),
      "other");
}

TEST_F(PublishOnce, AWorkerThatLostItsClaimStopsAndPublishesNothing) {
  std::atomic<bool> stopped = false;
  Submit("a");
  Start({.lease_time = 300ms},
        [&](const ScanRequest& request, const ScanDeps& deps, const CancelToken& cancel) {
          // Another worker takes the job over, as it may after a long pause of this process.
          EXPECT_EQ(*jobs_->ExpireLeasesOf("worker"), 1);
          EXPECT_TRUE(*jobs_->Claim("another", 1h));
          stopped = !WaitForStop(request, deps, cancel).ok();
          return PublishSmallResult(request, deps, CancelToken());
        });
  WaitUntil([&] { return stopped && pool_->running() == 0; });
  EXPECT_THAT(store_.sets(), IsEmpty());
  const Job job = Get("a");
  EXPECT_EQ(job.state, JobState::kRunning) << "it is the other worker's";
  EXPECT_EQ(job.attempts, 2);
}

TEST_F(PublishOnce, ALongScanKeepsItsClaim) {
  std::atomic<bool> others_got_it = false;
  Submit("a");
  Start({.lease_time = 1s},
        [&](const ScanRequest& request, const ScanDeps& deps, const CancelToken& cancel) {
          for (int i = 0; i < 25; ++i) {
            std::this_thread::sleep_for(100ms);
            if (*jobs_->Claim("another", 1h)) others_got_it = true;
          }
          return PublishSmallResult(request, deps, cancel);
        });
  EXPECT_EQ(WaitForEnd("a").state, JobState::kSucceeded);
  EXPECT_FALSE(others_got_it);
}

TEST_F(PublishOnce, AnObjectStoreThatFailsFailsTheScan) {
  FaultyStore faulty(store_, {.commit = Error(Reason::kOutputUnwritable, "503")});
  handler_.deps = [&](const Job&) { return ScanDeps{*fetcher_, faulty, devices_, threads_}; };
  Submit("a");
  Start(PublishSmallResult);
  EXPECT_EQ(WaitForEnd("a").failure.value_or(JobFailure{}).reason, Reason::kOutputUnwritable);
  pool_.reset();
}

}  // namespace
}  // namespace glint
