// SPDX-License-Identifier: Apache-2.0
#include "workers/scan_worker_pool.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "base/clock.h"
#include "base/status_macros.h"
#include "support/status_matchers.h"
#include "workers/completion_marker.h"
#include "workers/scan_worker_test.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using ScanWorkerPoolTest = ScanWorkerTest;

TEST_F(ScanWorkerPoolTest, QueuedJobsAreScannedAndPublished) {
  Submit("a");
  Start({.count = 2}, PublishSmallResult);
  Submit("b");
  for (const char* id : {"a", "b"}) {
    const Job job = WaitForEnd(id);
    EXPECT_EQ(job.state, JobState::kSucceeded);
    EXPECT_EQ(job.result, std::string(id) + " with 1 objects");
    EXPECT_EQ(job.attempts, 1);
    EXPECT_TRUE(store_.sets().at(id).contains(std::string(kCompletionMarkerName)));
  }
  EXPECT_TRUE(MetricsSay("glint_frames_total 14\n"));
  EXPECT_TRUE(MetricsSay("glint_downloaded_bytes_total 20\n"));
  EXPECT_TRUE(MetricsSay("glint_step_seconds_count{step=\"downloading\"} 2\n"));
}

TEST_F(ScanWorkerPoolTest, StepsAreRecordedAsEvents) {
  Submit("a");
  Start(PublishSmallResult);
  WaitForEnd("a");
  std::vector<ScanStep> steps;
  const std::vector<JobEvent> events = *jobs_->Events("a", 0, 100);
  steps.reserve(events.size());
  for (const JobEvent& event : events) steps.push_back(event.progress.step);
  EXPECT_THAT(steps, ElementsAre(ScanStep::kQueued, ScanStep::kQueued, ScanStep::kDownloading,
                                 ScanStep::kUploading, ScanStep::kDone));
}

TEST_F(ScanWorkerPoolTest, AScanWithoutADecoderIsGivenBackAndWaitsUntilThereIsOne) {
  std::atomic<int> scans = 0;
  std::atomic<bool> there = true;
  handler_.ready = [&](const CancelToken&) { return there.load(); };
  Submit("a");
  Submit("b");
  Start([&](const ScanRequest& request, const ScanDeps& deps, const CancelToken& cancel) {
    if (++scans > 1) return PublishSmallResult(request, deps, cancel);
    there = false;
    return absl::StatusOr<ScanResult>(
        In("decoding", Error(ServiceReason::kDecoderUnavailable, "it was overwritten")));
  });
  WaitUntil([&] { return scans == 1 && Get("a").state == JobState::kQueued; });
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(scans, 1) << "none is taken that cannot be made";
  EXPECT_EQ(Get("a").attempts, 0) << "it was not the scan's fault";
  there = true;
  for (const char* id : {"a", "b"}) EXPECT_EQ(WaitForEnd(id).state, JobState::kSucceeded) << id;
  EXPECT_EQ(Get("a").attempts, 1);
}

TEST_F(ScanWorkerPoolTest, WithinAStepEventsAreThinnedOut) {
  Submit("a");
  Start({.event_gap = 1h}, [](const ScanRequest&, const ScanDeps& deps, const CancelToken&) {
    deps.progress->OnProgress({.step = ScanStep::kMeasuring, .frames = 0});
    std::this_thread::sleep_for(50ms);
    for (int frame = 1; frame < 1000; ++frame) {
      deps.progress->OnProgress({.step = ScanStep::kMeasuring, .frames = frame});
    }
    return absl::StatusOr<ScanResult>(Error(Reason::kCorruptVideo, "enough"));
  });
  WaitForEnd("a");
  const auto events = *jobs_->Events("a", 0, 100);
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[2].progress.frames, 0);
  EXPECT_EQ(events[3].progress.frames, 999) << "what was last is recorded at the end";
}

TEST_F(ScanWorkerPoolTest, NoMoreScansRunThanThereAreWorkers) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  for (int i = 0; i < 12; ++i) Submit(std::to_string(i));
  Start({.count = 3},
        [&](const ScanRequest& request, const ScanDeps& deps, const CancelToken& cancel) {
          const int now = ++running;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          std::this_thread::sleep_for(5ms);
          --running;
          return PublishSmallResult(request, deps, cancel);
        });
  for (int i = 0; i < 12; ++i) EXPECT_EQ(WaitForEnd(std::to_string(i)).state, JobState::kSucceeded);
  EXPECT_LE(most, 3);
}

TEST_F(ScanWorkerPoolTest, AFailureEndsTheJobWithItsReasonAndWithoutSecrets) {
  Submit("a");
  Start([](const auto&...) -> absl::StatusOr<ScanResult> {
    return Error(Reason::kDownloadFailed, "https://user:pw@host/v?sig=secret answered 500");
  });
  const Job job = WaitForEnd("a");
  EXPECT_EQ(job.state, JobState::kFailed);
  ASSERT_TRUE(job.failure);
  EXPECT_EQ(job.failure->reason, Reason::kDownloadFailed);
  EXPECT_THAT(job.failure->message,
              AllOf(HasSubstr("answered 500"), Not(HasSubstr("pw")), Not(HasSubstr("secret"))));
  EXPECT_THAT(store_.sets(), IsEmpty());
}

TEST_F(ScanWorkerPoolTest, WhatIsThrownFailsTheJobAndTheWorkerGoesOn) {
  for (const char* id : {"request", "scan", "result", "unknown", "good"}) Submit(id);
  const auto request = handler_.request;
  handler_.request = [=](const Job& job) {
    if (job.scan_id == "request") throw std::runtime_error("thrown by request");
    return request(job);
  };
  const auto result = handler_.result;
  handler_.result = [=](const Job& job, const auto&... rest) {
    if (job.scan_id == "result") throw std::runtime_error("thrown by result");
    return result(job, rest...);
  };
  Start([](const ScanRequest& scan, const ScanDeps& deps, const CancelToken& cancel) {
    if (scan.scan_id == "scan") throw std::runtime_error("thrown by scan");
    if (scan.scan_id == "unknown") throw 7;
    return PublishSmallResult(scan, deps, cancel);
  });
  for (const std::string id : {"request", "scan", "result"}) {
    const Job job = WaitForEnd(id);
    ASSERT_TRUE(job.failure);
    EXPECT_EQ(job.failure->reason, Reason::kInternal);
    EXPECT_THAT(job.failure->message, HasSubstr("thrown by " + id));
  }
  EXPECT_EQ(WaitForEnd("unknown").failure.value_or(JobFailure{}).reason, Reason::kInternal);
  EXPECT_EQ(WaitForEnd("good").state, JobState::kSucceeded);
}

TEST_F(ScanWorkerPoolTest, ARunningScanIsCancelled) {
  Submit("a");
  Start(WaitForStop);
  WaitUntil([&] { return Get("a").state == JobState::kRunning; });
  ASSERT_THAT(jobs_->Cancel("a"), IsOk());
  const Job job = WaitForEnd("a");
  EXPECT_EQ(job.state, JobState::kCancelled);
  ASSERT_TRUE(job.failure);
  EXPECT_EQ(job.failure->reason, Reason::kCancelled);
}

TEST_F(ScanWorkerPoolTest, ACancelledScanPublishesNothingEvenIfItDoesNotLook) {
  Submit("a");
  Start([&](const ScanRequest& request, const ScanDeps& deps, const CancelToken&) {
    EXPECT_THAT(jobs_->Cancel("a"), IsOk());
    return PublishSmallResult(request, deps, CancelToken());
  });
  EXPECT_EQ(WaitForEnd("a").state, JobState::kCancelled);
  EXPECT_THAT(store_.sets(), IsEmpty());
}

TEST_F(ScanWorkerPoolTest, AScanThatTakesTooLongIsStopped) {
  Submit("a");
  Start({.scan_timeout = 50ms}, WaitForStop);
  const Job job = WaitForEnd("a");
  EXPECT_EQ(job.state, JobState::kFailed);
  ASSERT_TRUE(job.failure);
  EXPECT_EQ(job.failure->reason, Reason::kDeadlineExceeded);
  EXPECT_THAT(job.failure->message, HasSubstr("measuring"));
}

TEST_F(ScanWorkerPoolTest, AScanThatWouldTakeTooLongIsStoppedSoon) {
  Submit("a");
  std::atomic<int> measured = 0;
  const auto measure = [&measured](std::int64_t frames_of, int frames = 20) {
    return [frames_of, frames, &measured](const ScanRequest& request, const ScanDeps& deps,
                                          const CancelToken& cancel) -> absl::StatusOr<ScanResult> {
      for (int i = 1; i <= frames; ++i) {
        deps.progress->OnProgress(
            {.step = ScanStep::kMeasuring, .frames = i, .frames_of = frames_of});
        measured = i;
        GLINT_RETURN_IF_ERROR(RealClock().Wait(10ms, cancel));
      }
      return PublishSmallResult(request, deps, cancel);
    };
  };
  // 10 ms a frame: 3,000 of them take 30 s of the 10 s.
  Start({.event_gap = 10ms, .scan_timeout = 10s, .foresee_after = 50ms}, measure(3'000));
  const Job slow = WaitForEnd("a");
  ASSERT_TRUE(slow.failure);
  EXPECT_EQ(slow.failure->reason, Reason::kLimitExceeded);
  EXPECT_THAT(slow.failure->message, HasSubstr("of 3000 frames are measured"));
  pool_.reset();
  Submit("b");
  Start({.event_gap = 10ms, .scan_timeout = 10s, .foresee_after = 50ms}, measure(300));
  EXPECT_EQ(WaitForEnd("b").state, JobState::kSucceeded);
  pool_.reset();
  // What would take a thousand times too long is believed to after a thousandth of that time.
  Submit("c");
  Start({.event_gap = 10ms, .scan_timeout = 10s, .foresee_after = 20s}, measure(1'000'000, 500));
  EXPECT_EQ(WaitForEnd("c").failure.value_or(JobFailure{}).reason, Reason::kLimitExceeded);
  EXPECT_GE(measured, 8);
  EXPECT_LT(measured, 500);
  pool_.reset();
  Submit("d");
  Start({.event_gap = 10ms, .scan_timeout = 10s, .foresee_after = 20s}, measure(3'000));
  EXPECT_EQ(WaitForEnd("d").state, JobState::kSucceeded);
}

TEST_F(ScanWorkerPoolTest, AScanThatDoesNotStopIsGivenUpAndPublishesNothing) {
  std::atomic<bool> go_on = false;
  Submit("stuck");
  Start({.scan_timeout = 20ms, .stop_grace = 20ms},
        [&](const ScanRequest& request, const ScanDeps& deps, const CancelToken&) {
          WaitUntil([&] { return go_on.load(); });
          return PublishSmallResult(request, deps, CancelToken());
        });
  const Job job = WaitForEnd("stuck");
  ASSERT_TRUE(job.failure);
  EXPECT_EQ(job.failure->reason, Reason::kDeadlineExceeded);
  WaitUntil([&] { return pool_->stuck() == 1; });
  EXPECT_TRUE(MetricsSay("glint_watchdog_trips_total 1\n"));
  go_on = true;
  WaitUntil([&] { return pool_->running() == 0; });
  EXPECT_EQ(pool_->stuck(), 0);
  EXPECT_THAT(store_.sets(), IsEmpty());
  EXPECT_EQ(Get("stuck").last_seq, job.last_seq);
}

TEST_F(ScanWorkerPoolTest, ThePoolIsIdleOnlyWithoutWork) {
  std::atomic<bool> go_on = false;
  Start([&](const ScanRequest& request, const ScanDeps& deps, const CancelToken& cancel) {
    WaitUntil([&] { return go_on.load(); });
    return PublishSmallResult(request, deps, cancel);
  });
  EXPECT_TRUE(pool_->idle_for());
  Submit("a");
  WaitUntil([&] { return pool_->running() == 1; });
  EXPECT_FALSE(pool_->idle_for());
  go_on = true;
  WaitUntil([&] { return pool_->idle_for() > 50ms; });
  EXPECT_EQ(Get("a").state, JobState::kSucceeded);
}

TEST_F(ScanWorkerPoolTest, AnIdlePoolStopsAndNeverBetweenAClaimAndItsEnd) {
  std::atomic<bool> claims = false;
  std::atomic<bool> go_on = false;
  handler_.ready = [&](const CancelToken&) {
    claims = true;
    WaitUntil([&] { return go_on.load(); });
    return true;
  };
  Submit("a");
  Start([&](const ScanRequest& request, const ScanDeps& deps, const CancelToken& cancel) {
    EXPECT_FALSE(pool_->StopIfIdle(0ms)) << "a scan runs";
    return PublishSmallResult(request, deps, cancel);
  });
  WaitUntil([&] { return claims.load(); });
  EXPECT_FALSE(pool_->StopIfIdle(0ms)) << "a claim is under way";
  go_on = true;
  EXPECT_EQ(WaitForEnd("a").state, JobState::kSucceeded);
  EXPECT_FALSE(pool_->StopIfIdle(1h)) << "something ran a moment ago";
  WaitUntil([&] { return pool_->StopIfIdle(0ms); });
  Submit("b");
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(Get("b").state, JobState::kQueued) << "nothing is claimed any more";
}

TEST_F(ScanWorkerPoolTest, APoolThatDoesNotKnowWhatWaitsIsNotIdle) {
  handler_.ready = [&](const CancelToken&) { return false; };
  Start({.poll = 5ms}, PublishSmallResult);
  std::this_thread::sleep_for(200ms);
  EXPECT_LT(pool_->idle_for(), 150ms);
}

}  // namespace
}  // namespace glint
