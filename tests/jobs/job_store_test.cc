// SPDX-License-Identifier: Apache-2.0
// What every JobStore promises; runs over each of them.
#include "jobs/job_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "jobs/postgres_jobs.h"
#include "jobs/sqlite_jobs.h"
#include "support/postgres_server.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::_;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

struct Kind {
  const char* name;
  /// Where the jobs of a test lie; nothing where there is no such store on this machine.
  std::function<std::optional<std::string>(const TempFolder&)> place;
  std::function<std::unique_ptr<JobStore>(const std::string& place, const JobLimits&,
                                          std::function<JobTime()> now)>
      open;
};

class JobStoreContract : public testing::TestWithParam<Kind> {
 protected:
  void Open(const JobLimits& limits = {}) {
    store_.reset();
    store_ = GetParam().open(*place_, limits, [this] { return now_.load(); });
  }
  void SetUp() override {
    place_ = GetParam().place(folder_);
    if (!place_) GTEST_SKIP() << GetParam().name << " is not installed (scripts/setup.sh --tests)";
    Open();
  }

  void Submit(const std::string& scan_id, const std::string& request = "request") {
    const auto submitted = store_->Submit({scan_id, request, "https://host/video.mp4"});
    ASSERT_THAT(submitted, IsOk());
    EXPECT_TRUE(submitted->created);
  }
  void SubmitAs(const std::string& owner, const std::string& id, NewJob job = {}) {
    job.scan_id = JobId(owner, id);
    job.owner = owner;
    if (job.request.empty()) job.request = "request";
    const auto submitted = store_->Submit(job);
    ASSERT_THAT(submitted, IsOk());
    EXPECT_TRUE(submitted->created);
  }
  std::vector<std::string> Listed(const JobFilter& filter) {
    std::vector<std::string> ids;
    const auto page = store_->List("", 100, filter);
    EXPECT_THAT(page, IsOk());
    if (page.ok()) {
      for (const Job& job : page->jobs) ids.push_back(job.scan_id);
    }
    return ids;
  }
  void SubmitTo(const std::string& batch, const std::string& scan_id,
                const std::string& tier = "") {
    const auto submitted = store_->Submit({.scan_id = scan_id,
                                           .request = "request",
                                           .shown_url = "https://host/video.mp4",
                                           .tier = tier,
                                           .batch = batch});
    ASSERT_THAT(submitted, IsOk());
    EXPECT_TRUE(submitted->created);
    EXPECT_EQ(submitted->job.batch, batch);
  }
  JobLease Claim(const std::string& expected) {
    auto claimed = store_->Claim("worker", kLease);
    EXPECT_THAT(claimed, IsOk());
    if (!claimed.ok() || !*claimed) {
      ADD_FAILURE() << "nothing to claim";
      return {};
    }
    EXPECT_EQ((*claimed)->job.scan_id, expected);
    return (*claimed)->lease;
  }
  void ExpectNothingToClaim() {
    const auto claimed = store_->Claim("worker", kLease);
    ASSERT_THAT(claimed, IsOk());
    EXPECT_FALSE(*claimed) << (*claimed)->job.scan_id;
  }
  Job Get(const std::string& scan_id) {
    auto job = store_->Get(scan_id);
    EXPECT_THAT(job, IsOk());
    return job.value_or(Job{});
  }
  std::vector<JobState> StatesOf(const std::string& scan_id) {
    std::vector<JobState> states;
    const auto events = store_->Events(scan_id, 0, 1000);
    EXPECT_THAT(events, IsOk());
    for (const JobEvent& event : events.value_or(std::vector<JobEvent>{})) {
      EXPECT_EQ(event.seq, std::ssize(states) + 1);
      states.push_back(event.state);
    }
    return states;
  }
  void Wait(std::chrono::microseconds time) { now_ = now_.load() + time; }

  static constexpr auto kLease = 30s;
  const TempFolder folder_;
  std::optional<std::string> place_;
  std::atomic<JobTime> now_{JobTime(std::chrono::seconds(1'700'000'000))};
  std::unique_ptr<JobStore> store_;
};

TEST_P(JobStoreContract, ASubmittedJobIsThereAfterReopening) {
  const std::string request("bytes\0with \xff zero", 17);
  const auto submitted = store_->Submit({"scan-1", request, "https://host/v.mp4"});
  ASSERT_THAT(submitted, IsOk());
  EXPECT_TRUE(submitted->created);
  Open();
  const Job job = Get("scan-1");
  EXPECT_EQ(job.request, request);
  EXPECT_EQ(job.shown_url, "https://host/v.mp4");
  EXPECT_EQ(job.state, JobState::kQueued);
  EXPECT_EQ(job.created, now_.load());
  EXPECT_EQ(job.attempts, 0);
  EXPECT_EQ(job.last_seq, 1);
  EXPECT_FALSE(job.started);
  EXPECT_FALSE(job.ended);
  EXPECT_FALSE(job.failure);
}

TEST_P(JobStoreContract, TheSameRequestTwiceIsOneJob) {
  Submit("scan-1");
  const auto again = store_->Submit({"scan-1", "request", "https://host/video.mp4"});
  ASSERT_THAT(again, IsOk());
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->job.scan_id, "scan-1");
  EXPECT_THAT(StatesOf("scan-1"), ElementsAre(JobState::kQueued));
}

TEST_P(JobStoreContract, AJobThatFailedIsMadeAgainExactlyWhereItsReasonMayPass) {
  for (const FailureReason reason : FailureReasons()) {
    const std::string scan_id(Info(reason).name);
    Submit(scan_id);
    ASSERT_THAT(store_->Fail(Claim(scan_id), {reason, "why"}), IsOk());
    const bool cancelled = reason == Reason::kCancelled;
    const auto again = store_->Submit({scan_id, "request", "https://host/video.mp4"});
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(again->created, Info(reason).retryable) << scan_id;
    if (!Info(reason).retryable) {
      EXPECT_EQ(Get(scan_id).state, cancelled ? JobState::kCancelled : JobState::kFailed);
      continue;
    }
    const Job queued = Get(scan_id);
    EXPECT_EQ(queued.state, JobState::kQueued) << scan_id;
    EXPECT_EQ(queued.attempts, 0);
    EXPECT_FALSE(queued.failure);
    EXPECT_FALSE(queued.ended);
    ASSERT_THAT(store_->Complete(Claim(scan_id), "result"), IsOk());
    EXPECT_EQ(Get(scan_id).state, JobState::kSucceeded);
  }
}

TEST_P(JobStoreContract, AJobThatIsMadeAgainWaitsLastAndItsEventsGoOn) {
  Submit("failed");
  ASSERT_THAT(store_->Fail(Claim("failed"), {Reason::kStoreUnavailable, "503"}), IsOk());
  const std::int64_t ended = Get("failed").last_seq;
  Submit("other");
  ASSERT_THAT(store_->Submit({"failed", "request", ""}), IsOk());
  EXPECT_EQ(Get("failed").queue_position, 1);
  const auto events = store_->Events("failed", 0, 100);
  ASSERT_THAT(events, IsOk());
  ASSERT_THAT(*events, SizeIs(1)) << "nobody meets the earlier end again";
  EXPECT_EQ(events->front().seq, ended + 1);
  EXPECT_EQ(events->front().state, JobState::kQueued);
  EXPECT_THAT(store_->Submit({"failed", "another", ""}),
              FailsWith(ServiceReason::kScanConflict, _));
}

TEST_P(JobStoreContract, TheSameRequestIsTheSameJobAfterItsEndToo) {
  Submit("scan-1");
  ASSERT_THAT(store_->Complete(Claim("scan-1"), "result"), IsOk());
  const auto again = store_->Submit({"scan-1", "request", ""});
  ASSERT_THAT(again, IsOk());
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->job.state, JobState::kSucceeded);
  EXPECT_EQ(again->job.result, "result");
}

TEST_P(JobStoreContract, AnotherRequestUnderTheSameIdIsAConflict) {
  Submit("scan-1");
  EXPECT_THAT(store_->Submit({"scan-1", "another", ""}),
              FailsWith(ServiceReason::kScanConflict, HasSubstr("scan-1")));
  EXPECT_EQ(Get("scan-1").request, "request");
}

TEST_P(JobStoreContract, AFullQueueRefusesNewJobsOnly) {
  Open({.queue_capacity = 2});
  Submit("a");
  Submit("b");
  EXPECT_THAT(store_->Submit({"c", "request", ""}),
              FailsWith(ServiceReason::kQueueFull, HasSubstr("2")));
  EXPECT_THAT(store_->Get("c"), FailsWith(ServiceReason::kScanNotFound, _));
  EXPECT_THAT(store_->Submit({"a", "request", ""}), IsOk());
  EXPECT_THAT(store_->Submit({"a", "another", ""}), FailsWith(ServiceReason::kScanConflict, _));
  Claim("a");
  Submit("c");
}

TEST_P(JobStoreContract, ThePositionCountsThoseAhead) {
  for (const char* id : {"a", "b", "c"}) Submit(id);
  EXPECT_EQ(Get("a").queue_position, 0);
  EXPECT_EQ(Get("c").queue_position, 2);
  Claim("a");
  EXPECT_EQ(Get("a").queue_position, 0);
  EXPECT_EQ(Get("c").queue_position, 1);
  ASSERT_THAT(store_->Cancel("b"), IsOk());
  EXPECT_EQ(Get("c").queue_position, 0);
}

TEST_P(JobStoreContract, JobsAreClaimedInTheOrderOfArrival) {
  for (const char* id : {"z", "a", "m"}) Submit(id);
  Claim("z");
  Claim("a");
  Claim("m");
  ExpectNothingToClaim();
}

TEST_P(JobStoreContract, AJobRunsItsCourse) {
  Submit("scan-1");
  Wait(1s);
  const JobLease lease = Claim("scan-1");
  const Job running = Get("scan-1");
  EXPECT_EQ(running.state, JobState::kRunning);
  EXPECT_EQ(running.attempts, 1);
  EXPECT_EQ(running.started, now_.load());
  const JobProgress progress{ScanStep::kMeasuring, 0.375, 30, 80, 123'456'789'012, 200'000'000'000};
  ASSERT_THAT(store_->Record(lease, progress), IsOk());
  EXPECT_EQ(Get("scan-1").progress, progress);
  Wait(1s);
  const std::string result("result\0\x80", 8);
  ASSERT_THAT(store_->Complete(lease, result), IsOk());
  const Job done = Get("scan-1");
  EXPECT_EQ(done.state, JobState::kSucceeded);
  EXPECT_EQ(done.result, result);
  EXPECT_EQ(done.ended, now_.load());
  EXPECT_EQ(done.progress.step, ScanStep::kDone);
  EXPECT_EQ(done.progress.fraction, 1);
  EXPECT_EQ(done.last_seq, 4);
  EXPECT_THAT(StatesOf("scan-1"), ElementsAre(JobState::kQueued, JobState::kRunning,
                                              JobState::kRunning, JobState::kSucceeded));
}

TEST_P(JobStoreContract, EventsResumeAfterANumber) {
  Submit("scan-1");
  const JobLease lease = Claim("scan-1");
  for (int i = 1; i <= 5; ++i) {
    ASSERT_THAT(store_->Record(lease, {ScanStep::kMeasuring, i / 10.0}), IsOk());
  }
  const auto events = store_->Events("scan-1", 3, 2);
  ASSERT_THAT(events, IsOk());
  ASSERT_THAT(*events, SizeIs(2));
  EXPECT_EQ((*events)[0].seq, 4);
  EXPECT_EQ((*events)[0].progress.fraction, 0.2);
  EXPECT_EQ((*events)[1].seq, 5);
  EXPECT_EQ((*events)[1].time, now_.load());
  EXPECT_THAT(*store_->Events("scan-1", 7, 10), IsEmpty());
  EXPECT_THAT(store_->Events("none", 0, 10),
              FailsWith(ServiceReason::kScanNotFound, HasSubstr("none")));
}

TEST_P(JobStoreContract, AFailureKeepsItsReasonAndMessage) {
  Submit("scan-1");
  ASSERT_THAT(store_->Fail(Claim("scan-1"), {Reason::kNotAVideo, "decoding: it is a picture"}),
              IsOk());
  const Job job = Get("scan-1");
  EXPECT_EQ(job.state, JobState::kFailed);
  ASSERT_TRUE(job.failure);
  EXPECT_EQ(job.failure->reason, Reason::kNotAVideo);
  EXPECT_EQ(job.failure->message, "decoding: it is a picture");
}

TEST_P(JobStoreContract, AQueuedJobIsCancelledAtOnce) {
  Submit("scan-1");
  const auto cancelled = store_->Cancel("scan-1");
  ASSERT_THAT(cancelled, IsOk());
  EXPECT_EQ(cancelled->state, JobState::kCancelled);
  EXPECT_EQ(cancelled->failure->reason, Reason::kCancelled);
  EXPECT_TRUE(cancelled->ended);
  ExpectNothingToClaim();
  EXPECT_THAT(store_->Cancel("none"), FailsWith(ServiceReason::kScanNotFound, HasSubstr("none")));
}

TEST_P(JobStoreContract, ARunningJobsWorkerLearnsOfTheCancellation) {
  Submit("scan-1");
  const JobLease lease = Claim("scan-1");
  EXPECT_FALSE(*store_->Heartbeat(lease, kLease));
  const auto asked = store_->Cancel("scan-1");
  ASSERT_THAT(asked, IsOk());
  EXPECT_EQ(asked->state, JobState::kRunning);
  EXPECT_TRUE(asked->cancel_requested);
  EXPECT_TRUE(*store_->Heartbeat(lease, kLease));
  ASSERT_THAT(store_->Fail(lease, {Reason::kCancelled, "cancelled"}), IsOk());
  EXPECT_EQ(Get("scan-1").state, JobState::kCancelled);
}

TEST_P(JobStoreContract, AnEndedJobStaysAsItIs) {
  Submit("scan-1");
  ASSERT_THAT(store_->Complete(Claim("scan-1"), "result"), IsOk());
  const auto late = store_->Cancel("scan-1");
  ASSERT_THAT(late, IsOk());
  EXPECT_EQ(late->state, JobState::kSucceeded);
  EXPECT_FALSE(late->cancel_requested);
  EXPECT_EQ(late->last_seq, 3);
}

TEST_P(JobStoreContract, AJobIsClaimedAgainWhenItsLeaseEnds) {
  Submit("scan-1");
  const JobLease first = Claim("scan-1");
  Wait(kLease - 1us);
  ExpectNothingToClaim();
  Wait(1us);
  const JobLease second = Claim("scan-1");
  EXPECT_GT(second.fence, first.fence);
  EXPECT_EQ(Get("scan-1").attempts, 2);
  EXPECT_EQ(Get("scan-1").progress, JobProgress{});
}

TEST_P(JobStoreContract, AHeartbeatProlongsTheLease) {
  Submit("scan-1");
  const JobLease lease = Claim("scan-1");
  Wait(20s);
  ASSERT_THAT(store_->Heartbeat(lease, kLease), IsOk());
  Wait(20s);
  ExpectNothingToClaim();
  Wait(10s);
  Claim("scan-1");
}

TEST_P(JobStoreContract, ALeaseThatEndedUnnoticedMayBeProlonged) {
  Submit("scan-1");
  const JobLease lease = Claim("scan-1");
  Wait(kLease + 1s);
  EXPECT_THAT(store_->Heartbeat(lease, kLease), IsOk());
  ExpectNothingToClaim();
}

TEST_P(JobStoreContract, ALateWorkerChangesNothing) {
  Submit("scan-1");
  const JobLease late = Claim("scan-1");
  Wait(kLease);
  const JobLease current = Claim("scan-1");
  const auto expect_lost = [&](const JobLease& lease) {
    EXPECT_THAT(store_->Heartbeat(lease, kLease), FailsWith(ServiceReason::kClaimLost, _));
    EXPECT_THAT(store_->Record(lease, {}), FailsWith(ServiceReason::kClaimLost, _));
    EXPECT_THAT(store_->Complete(lease, "late"), FailsWith(ServiceReason::kClaimLost, _));
    EXPECT_THAT(store_->Fail(lease, {}), FailsWith(ServiceReason::kClaimLost, _));
    EXPECT_THAT(store_->Release(lease), FailsWith(ServiceReason::kClaimLost, HasSubstr("scan-1")));
  };
  expect_lost(late);
  ASSERT_THAT(store_->Complete(current, "result"), IsOk());
  expect_lost(late);
  expect_lost(current);
  EXPECT_EQ(Get("scan-1").result, "result");
  EXPECT_EQ(Get("scan-1").last_seq, 4);
}

TEST_P(JobStoreContract, AClaimIsNotValidForALaterJobOfTheSameName) {
  Open({.keep_ended = 0s});
  Submit("scan-1");
  const JobLease old = Claim("scan-1");
  ASSERT_THAT(store_->Fail(old, {}), IsOk());
  Wait(1s);
  EXPECT_EQ(*store_->Sweep(), 1);
  Submit("scan-1");
  Claim("scan-1");
  EXPECT_THAT(store_->Complete(old, "of the old one"), FailsWith(ServiceReason::kClaimLost, _));
}

TEST_P(JobStoreContract, AJobIsGivenUpAfterThreeDeaths) {
  Submit("poison");
  Submit("next");
  for (int death = 1; death <= 3; ++death) {
    const JobLease lease = Claim("poison");
    ASSERT_THAT(store_->Record(lease, {ScanStep::kDecoding}), IsOk());
    Wait(kLease);
  }
  JobStore::Claimed look;  // for a result; the first one dies, too
  for (int i = 0; i < 2; ++i) {
    if (i > 0) Wait(kLease);
    const auto claimed = store_->Claim("worker", kLease);
    ASSERT_THAT(claimed, IsOk());
    ASSERT_TRUE(*claimed);
    look = **claimed;
    EXPECT_EQ(look.job.scan_id, "poison");
    EXPECT_EQ(look.job.attempts, 3);
    ASSERT_TRUE(look.attempts_exhausted);
  }
  ASSERT_THAT(store_->Fail(look.lease, *look.attempts_exhausted), IsOk());
  Claim("next");
  const Job job = Get("poison");
  EXPECT_EQ(job.state, JobState::kFailed);
  EXPECT_EQ(job.attempts, 3);
  ASSERT_TRUE(job.failure);
  EXPECT_EQ(job.failure->reason, ServiceReason::kWorkerDied);
  EXPECT_THAT(job.failure->message, HasSubstr("3 times"));
  EXPECT_THAT(job.failure->message, HasSubstr("decoding"));
}

TEST_P(JobStoreContract, ADeadWorkersCancelledJobIsCancelled) {
  Submit("scan-1");
  Claim("scan-1");
  ASSERT_THAT(store_->Cancel("scan-1"), IsOk());
  Wait(kLease);
  ExpectNothingToClaim();
  EXPECT_EQ(Get("scan-1").state, JobState::kCancelled);
}

TEST_P(JobStoreContract, AWorkersDeathIsNotChargedToAJobThatWasDownloaded) {
  Submit("a");
  for (int death = 0; death < 5; ++death) {
    const JobLease lease = Claim("a");
    EXPECT_FALSE(lease.attempts_exhausted);
    EXPECT_EQ(Get("a").attempts, 1);
    ASSERT_THAT(store_->Record(lease, {.step = ScanStep::kDownloading}), IsOk());
    ASSERT_THAT(store_->ExpireLeasesOf("worker"), IsOk());
  }
}

TEST_P(JobStoreContract, APageSaysEachJobsPlaceInTheQueue) {
  for (const char* id : {"a", "b", "c", "d", "e"}) Submit(id);
  Claim("a");
  ASSERT_THAT(store_->Cancel("c"), IsOk());
  const auto page = store_->List("", 3, {});
  ASSERT_THAT(page, IsOk());
  std::vector<std::pair<std::string, std::int64_t>> places;
  for (const Job& job : page->jobs) places.emplace_back(job.scan_id, job.queue_position);
  const auto rest = store_->List(page->next_token, 3, {});
  ASSERT_THAT(rest, IsOk());
  for (const Job& job : rest->jobs) places.emplace_back(job.scan_id, job.queue_position);
  EXPECT_EQ(places, (std::vector<std::pair<std::string, std::int64_t>>{
                        {"e", 2}, {"d", 1}, {"c", 0}, {"b", 0}, {"a", 0}}));
}

TEST_P(JobStoreContract, AWorkerThatCameBackEndsTheLeasesOfItsPredecessor) {
  Submit("a");
  Submit("b");
  Claim("a");
  ASSERT_THAT(store_->Claim("another", kLease), IsOk());
  EXPECT_EQ(*store_->ExpireLeasesOf("worker"), 1);
  Claim("a");
  EXPECT_EQ(Get("a").attempts, 2);
  ExpectNothingToClaim();
}

TEST_P(JobStoreContract, AReleasedJobIsFirstAgainAndCountsNoAttempt) {
  Submit("a");
  Submit("b");
  const JobLease lease = Claim("a");
  ASSERT_THAT(store_->Record(lease, {ScanStep::kDetecting, 0.9}), IsOk());
  ASSERT_THAT(store_->Release(lease), IsOk());
  const Job job = Get("a");
  EXPECT_EQ(job.state, JobState::kQueued);
  EXPECT_EQ(job.attempts, 0);
  EXPECT_EQ(job.queue_position, 0);
  EXPECT_EQ(job.progress, JobProgress{});
  EXPECT_FALSE(job.started);
  Claim("a");
  Claim("b");
}

TEST_P(JobStoreContract, AReleasedJobThatWasCancelledIsCancelled) {
  Submit("a");
  const JobLease lease = Claim("a");
  ASSERT_THAT(store_->Cancel("a"), IsOk());
  ASSERT_THAT(store_->Release(lease), IsOk());
  EXPECT_EQ(Get("a").state, JobState::kCancelled);
}

TEST_P(JobStoreContract, ListsAreNewestFirstAndPaged) {
  for (int i = 0; i < 7; ++i) Submit("scan-" + std::to_string(i));
  std::vector<std::string> ids;
  std::string token;
  int pages = 0;
  do {
    const auto page = store_->List(token, 3, {});
    ASSERT_THAT(page, IsOk());
    for (const Job& job : page->jobs) ids.push_back(job.scan_id);
    token = page->next_token;
    if (++pages == 1) Submit("newer");  // must not shift the pages that follow
  } while (!token.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_THAT(ids,
              ElementsAre("scan-6", "scan-5", "scan-4", "scan-3", "scan-2", "scan-1", "scan-0"));
}

TEST_P(JobStoreContract, ListsMayShowOneStateOnly) {
  for (const char* id : {"a", "b", "c"}) Submit(id);
  ASSERT_THAT(store_->Complete(Claim("a"), "result"), IsOk());
  Claim("b");
  const auto done = store_->List("", 10, {.state = JobState::kSucceeded});
  ASSERT_THAT(done, IsOk());
  ASSERT_THAT(done->jobs, SizeIs(1));
  EXPECT_EQ(done->jobs[0].scan_id, "a");
  EXPECT_THAT(done->jobs[0].result, IsEmpty());
  EXPECT_THAT(done->next_token, IsEmpty());
  EXPECT_THAT(store_->List("", 10, {.state = JobState::kFailed})->jobs, IsEmpty());
}

TEST_P(JobStoreContract, AListWithABadTokenOrSizeIsRefused) {
  for (const char* token : {"x", "-1", "0", "1x", " 1", "99999999999999999999"}) {
    EXPECT_THAT(store_->List(token, 10, {}), FailsWith(Reason::kInvalidOption, _)) << token;
  }
  EXPECT_THAT(store_->List("", 0, {}), FailsWith(Reason::kInvalidOption, _));
  EXPECT_THAT(store_->List("", 1001, {}), FailsWith(Reason::kInvalidOption, _));
}

TEST_P(JobStoreContract, CountsByState) {
  for (const char* id : {"a", "b", "c", "d", "e"}) Submit(id);
  ASSERT_THAT(store_->Complete(Claim("a"), ""), IsOk());
  ASSERT_THAT(store_->Fail(Claim("b"), {}), IsOk());
  Claim("c");
  ASSERT_THAT(store_->Cancel("d"), IsOk());
  const auto counts = store_->Counts();
  ASSERT_THAT(counts, IsOk());
  EXPECT_EQ(counts->queued, 1);
  EXPECT_EQ(counts->running, 1);
  EXPECT_EQ(counts->succeeded, 1);
  EXPECT_EQ(counts->failed, 1);
  EXPECT_EQ(counts->cancelled, 1);
}

TEST_P(JobStoreContract, SweepDeletesWhatIsOldAndWhatIsTooMany) {
  Open({.keep_ended = 100s, .keep_ended_count = 2});
  for (const char* id : {"old", "a", "b", "c", "waits"}) Submit(id);
  ASSERT_THAT(store_->Complete(Claim("old"), ""), IsOk());
  Wait(101s);
  for (const char* id : {"a", "b", "c"}) {
    ASSERT_THAT(store_->Complete(Claim(id), ""), IsOk());
    Wait(1s);
  }
  EXPECT_EQ(*store_->Sweep(), 2);
  for (const char* gone : {"old", "a"}) {
    EXPECT_THAT(store_->Get(gone), FailsWith(ServiceReason::kScanNotFound, _)) << gone;
    EXPECT_THAT(store_->Events(gone, 0, 10), FailsWith(ServiceReason::kScanNotFound, _)) << gone;
  }
  for (const char* kept : {"b", "c", "waits"}) EXPECT_THAT(store_->Get(kept), IsOk()) << kept;
  EXPECT_EQ(*store_->Sweep(), 0);
}

TEST_P(JobStoreContract, EachOwnerHasIdsAndListsOfItsOwn) {
  for (const char* owner : {"site", "shop", ""}) {
    SubmitAs(owner, "scan-1", {.request = fmt::format("of {}", owner)});
  }
  SubmitAs("site", "scan-2");
  EXPECT_EQ(Get("@site/scan-1").request, "of site");
  EXPECT_EQ(Get("@shop/scan-1").request, "of shop");
  EXPECT_EQ(Get("scan-1").request, "of ");
  EXPECT_EQ(Get("@site/scan-1").owner, "site");
  EXPECT_EQ(IdOf("@site/scan-1"), "scan-1");
  EXPECT_THAT(Listed({.owner = "site"}), ElementsAre("@site/scan-2", "@site/scan-1"));
  EXPECT_THAT(Listed({.owner = "shop"}), ElementsAre("@shop/scan-1"));
  EXPECT_THAT(Listed({.owner = ""}), ElementsAre("scan-1"));
  EXPECT_THAT(Listed({.owner = "nobody"}), IsEmpty());
  EXPECT_THAT(Listed({}), SizeIs(4));
  ASSERT_THAT(store_->Cancel("@site/scan-1"), IsOk());
  EXPECT_EQ(Get("@shop/scan-1").state, JobState::kQueued);
  EXPECT_THAT(Listed({.owner = "site", .state = JobState::kQueued}), ElementsAre("@site/scan-2"));
}

TEST_P(JobStoreContract, ABatchIsListedByItsNameAmongItsOwnersScans) {
  SubmitAs("site", "a", {.batch = "july"});
  SubmitAs("site", "b");
  SubmitAs("shop", "c", {.batch = "july"});
  EXPECT_THAT(Listed({.owner = "site", .batch = "july"}), ElementsAre("@site/a"));
  EXPECT_EQ(Get("@shop/c").batch, "july");
}

TEST_P(JobStoreContract, OwnersTakeTurnsHoweverManyScansOneOfThemHas) {
  for (int i = 0; i < 6; ++i) SubmitAs("flood", std::to_string(i));
  Claim("@flood/0");
  Claim("@flood/1");
  SubmitAs("late", "x");
  SubmitAs("late", "y");
  EXPECT_EQ(Get("@late/y").queue_position, 1) << "among its owner's";
  for (const char* next : {"@flood/2", "@late/x", "@flood/3", "@late/y", "@flood/4", "@flood/5"}) {
    Claim(next);
  }
  ExpectNothingToClaim();
}

TEST_P(JobStoreContract, AnOwnerThatHadManyTurnsIsNotBehindForGood) {
  for (int i = 0; i < 4; ++i) {
    SubmitAs("old", std::to_string(i));
    Claim(fmt::format("@old/{}", i));
  }
  for (const char* id : {"a", "b", "c"}) SubmitAs("new", id);
  SubmitAs("old", "z");
  for (const char* next : {"@new/a", "@new/b", "@old/z", "@new/c"}) Claim(next);
}

TEST_P(JobStoreContract, WhatIsGivenBackGoesFirstButNotBeforeTheOthersTurns) {
  for (const char* id : {"a", "b", "c"}) SubmitAs("one", id);
  const JobLease lease = Claim("@one/a");
  Claim("@one/b");
  SubmitAs("two", "x");
  ASSERT_THAT(store_->Release(lease), IsOk());
  Claim("@one/a");
  Claim("@one/c");
  Claim("@two/x");
}

TEST_P(JobStoreContract, SubmittingTheSameAgainCostsNoTurn) {
  SubmitAs("one", "a");
  for (int i = 0; i < 5; ++i) {
    ASSERT_THAT(store_->Submit({.scan_id = "@one/a", .request = "request", .owner = "one"}),
                IsOk());
  }
  for (const char* id : {"x", "y"}) SubmitAs("two", id);
  SubmitAs("one", "b");
  for (const char* next : {"@one/a", "@two/x", "@two/y", "@one/b"}) Claim(next);
}

TEST_P(JobStoreContract, ASubmissionThatIsRefusedCostsNoTurn) {
  const OwnerQuotas quotas{.queued = 1};
  for (int i = 0; i < 6; ++i) SubmitAs("two", std::to_string(i));
  SubmitAs("one", "a", {.quotas = quotas});
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(store_->Submit({.scan_id = "@one/b", .owner = "one", .quotas = quotas}),
                FailsWith(ServiceReason::kQuotaExceeded, _));
  }
  Claim("@two/0");
  Claim("@one/a");
  SubmitAs("one", "b", {.quotas = quotas});
  Claim("@two/1");
  Claim("@one/b");
}

TEST_P(JobStoreContract, TiersAreServedInTheOrderOfPreference) {
  SubmitAs("", "free", {.tier = "free"});
  SubmitAs("", "premium", {.tier = "premium"});
  SubmitAs("", "batch", {.tier = "batch"});
  SubmitAs("", "usual");
  const auto claim = [&](std::vector<ClaimOrder::Tier> tiers,
                         std::vector<std::string> not_others = {}) {
    const auto claimed =
        store_->Claim("worker", kLease,
                      ClaimOrder{.tiers = std::move(tiers), .not_others = std::move(not_others)});
    EXPECT_THAT(claimed, IsOk());
    return claimed.ok() && *claimed ? (*claimed)->job.scan_id : "nothing";
  };
  EXPECT_EQ(claim({{.name = "none"}}), "nothing");
  EXPECT_EQ(claim({{.name = "premium"}, {.name = "free"}}), "premium");
  EXPECT_EQ(claim({{.name = "premium"}, {.name = "free"}}), "free");
  EXPECT_EQ(claim({{.name = "premium"}, {.name = "free"}}), "nothing");
  EXPECT_EQ(claim({{.name = "*"}}, {"", "batch"}), "nothing");
  EXPECT_EQ(claim({{.name = "*"}}, {"batch"}), "usual");
  EXPECT_EQ(claim({{.name = "*"}}), "batch");
}

TEST_P(JobStoreContract, AScanOfADeadWorkerGoesToThoseWhoServeItsTier) {
  SubmitAs("", "a", {.tier = "premium"});
  ASSERT_TRUE(store_->Claim("worker", kLease)->has_value());
  Wait(kLease);
  const ClaimOrder free{.tiers = {{.name = "free"}}};
  const ClaimOrder premium{.tiers = {{.name = "premium"}}};
  EXPECT_FALSE(store_->Claim("two", kLease, free)->has_value());
  EXPECT_TRUE(store_->Claim("two", kLease, premium)->has_value());
}

TEST_P(JobStoreContract, TiersThatNobodyNamedTakeTurns) {
  for (const char* tier : {"a", "b"}) {
    for (int i = 0; i < 3; ++i) {
      SubmitAs("", fmt::format("{}{}", tier, i), {.tier = tier});
    }
  }
  std::string first_four;
  for (int i = 0; i < 4; ++i) first_four += (*store_->Claim("worker", kLease))->job.tier;
  EXPECT_EQ(std::ranges::count(first_four, 'a'), 2) << first_four;
}

TEST_P(JobStoreContract, AScanThatMayRunElsewhereOnlyAfterAWaitWaitsAndSaysWhy) {
  SubmitAs("", "a", {.tier = "premium"});
  const ClaimOrder spilled{
      .tiers = {{.name = "premium", .waited = 60s, .placing = "no cuda worker for 60 s"}},
      .device = "cpu"};
  Wait(59s);
  EXPECT_FALSE(store_->Claim("worker", kLease, spilled)->has_value());
  Wait(1s);
  const auto claimed = store_->Claim("worker", kLease, spilled);
  ASSERT_THAT(claimed, IsOk());
  ASSERT_TRUE(*claimed);
  EXPECT_EQ(Get("a").device, "cpu");
  EXPECT_EQ(Get("a").placing, "no cuda worker for 60 s");
  ASSERT_THAT(store_->Release((*claimed)->lease), IsOk());
  EXPECT_EQ(Get("a").placing, "");
}

TEST_P(JobStoreContract, AnOwnersWaitingScansAreNoMoreThanItsQuota) {
  const OwnerQuotas quotas{.queued = 2};
  SubmitAs("site", "a", {.quotas = quotas});
  SubmitAs("site", "b", {.quotas = quotas});
  EXPECT_THAT(store_->Submit({.scan_id = "@site/c", .owner = "site", .quotas = quotas}),
              FailsWith(ServiceReason::kQuotaExceeded, AllOf(HasSubstr("2"), HasSubstr("site"))));
  SubmitAs("shop", "a", {.quotas = quotas});
  Claim("@site/a");
  SubmitAs("site", "c", {.quotas = quotas});
}

TEST_P(JobStoreContract, AnOwnersScansRunNoMoreAtOnceThanItsQuota) {
  const OwnerQuotas quotas{.running = 2};
  for (const char* id : {"a", "b", "c", "d", "e"}) SubmitAs("site", id, {.quotas = quotas});
  SubmitAs("shop", "x");
  const JobLease a = Claim("@site/a");
  Claim("@shop/x");
  Claim("@site/b");
  ExpectNothingToClaim();
  EXPECT_EQ(Get("@site/e").queue_position, 2);
  ASSERT_THAT(store_->Cancel("@site/c"), IsOk());
  ExpectNothingToClaim();
  ASSERT_THAT(store_->Complete(a, "result"), IsOk());
  const JobLease d = Claim("@site/d");
  ExpectNothingToClaim();
  ASSERT_THAT(store_->Release(d), IsOk());
  Claim("@site/d");
  ExpectNothingToClaim();
  Wait(kLease);  // their workers die
  Claim("@site/b");
  Claim("@site/d");
  Claim("@shop/x");
  ExpectNothingToClaim();
}

TEST_P(JobStoreContract, CancellingAWaitingScanLetsAHeldOneHaveItsTurn) {
  const OwnerQuotas quotas{.running = 1};
  SubmitAs("site", "a", {.tier = "x", .quotas = quotas});
  SubmitAs("site", "b", {.tier = "y", .quotas = quotas});
  ASSERT_THAT(store_->Cancel("@site/a"), IsOk());
  Claim("@site/b");
}

TEST_P(JobStoreContract, AnOwnersFramesOfADayAreCountedWhateverBecameOfItsScans) {
  const OwnerQuotas quotas{.frames_per_day = 100};
  const auto run = [&](const std::string& id, std::int64_t frames, bool cancelled) {
    SubmitAs("site", id, {.quotas = quotas});
    const JobLease lease = Claim("@site/" + id);
    ASSERT_THAT(store_->Record(lease, {.step = ScanStep::kMeasuring, .frames = frames}), IsOk());
    ASSERT_THAT(store_->Record(lease, {.step = ScanStep::kDetecting}), IsOk());
    ASSERT_THAT(cancelled ? store_->Fail(lease, {Reason::kCancelled, "cancelled"})
                          : store_->Complete(lease, "result"),
                IsOk());
  };
  run("a", 60, false);
  run("b", 40, true);
  const NewJob more{.scan_id = "@site/c", .owner = "site", .quotas = quotas};
  EXPECT_THAT(store_->Submit(more),
              FailsWith(ServiceReason::kQuotaExceeded,
                        AllOf(HasSubstr("100 frames"), HasSubstr("midnight UTC"))));
  SubmitAs("shop", "c", {.quotas = quotas});
  Wait(std::chrono::days(1));
  EXPECT_THAT(store_->Submit(more), IsOk());
}

TEST_P(JobStoreContract, WorkersAreKnownForADay) {
  ASSERT_THAT(store_->Register({.name = "host:2",
                                .version = "0.1.0",
                                .devices = {"cuda", "cpu"},
                                .tiers = {"premium", "*"},
                                .lanes = 2,
                                .running = 1,
                                .started = now_.load()}),
              IsOk());
  Wait(23h);
  ASSERT_THAT(store_->Register({.name = "host:1", .tiers = {""}, .gone = true}), IsOk());
  const auto workers = store_->Workers();
  ASSERT_THAT(workers, IsOk());
  ASSERT_THAT(*workers, SizeIs(2));
  const RegisteredWorker& first = workers->front();
  EXPECT_EQ(first.name, "host:1");
  EXPECT_TRUE(first.gone);
  EXPECT_EQ(first.unseen_for, 0s);
  const RegisteredWorker& second = workers->back();
  EXPECT_THAT(second.devices, ElementsAre("cuda", "cpu"));
  EXPECT_THAT(second.tiers, ElementsAre("premium", "*"));
  EXPECT_EQ(second.running, 1);
  EXPECT_EQ(second.lanes, 2);
  EXPECT_EQ(second.unseen_for, 23h);
  Wait(1h);
  EXPECT_THAT(*store_->Workers(), SizeIs(1));
  EXPECT_THAT(store_->Sweep(), IsOk());
}

TEST_P(JobStoreContract, SubscribersHearOfEachChangeUntilTheyLeave) {
  std::mutex mutex;
  std::condition_variable heard;
  std::multiset<std::string> changed;
  auto subscription = store_->Subscribe([&](const std::string& scan_id) {
    const std::scoped_lock lock(mutex);
    changed.insert(scan_id);
    heard.notify_all();
  });
  const auto hears = [&](const std::string& scan_id, std::size_t times) {
    std::unique_lock lock(mutex);
    return heard.wait_for(lock, 20s, [&] { return changed.count(scan_id) >= times; });
  };
  Submit("a");
  EXPECT_TRUE(hears("a", 1));
  const JobLease lease = Claim("a");
  EXPECT_TRUE(hears("a", 2));
  ASSERT_THAT(store_->Cancel("a"), IsOk());
  EXPECT_TRUE(hears("a", 3));
  ASSERT_THAT(store_->Fail(lease, {}), IsOk());
  EXPECT_TRUE(hears("a", 4));
  subscription.reset();
  std::atomic<bool> told = false;
  const auto other = store_->Subscribe([&](const std::string&) { told = true; });
  Submit("b");
  for (int i = 0; i < 2000 && !told; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_TRUE(told);
  EXPECT_EQ(changed.count("b"), 0);
}

TEST_P(JobStoreContract, ABatchIsCountedByStateTierAndReason) {
  Submit("outside");
  Claim("outside");
  SubmitTo("n", "a", "fast");
  SubmitTo("n", "b", "fast");
  SubmitTo("n", "c");
  SubmitTo("n", "d");
  SubmitTo("n", "e");
  SubmitTo("n", "f");
  SubmitTo("m", "g");
  ASSERT_THAT(store_->Cancel("f"), IsOk());
  std::map<std::string, JobLease> leases;  // whatever is claimed first
  for (int i = 0; i < 6; ++i) {
    const auto claimed = store_->Claim("worker", kLease);
    ASSERT_THAT(claimed, IsOk());
    ASSERT_TRUE(*claimed);
    leases[(*claimed)->job.scan_id] = (*claimed)->lease;
  }
  ASSERT_THAT(store_->Release(leases.at("e")), IsOk());
  ASSERT_THAT(store_->Record(leases.at("a"), {.step = ScanStep::kDownloading}), IsOk());
  Wait(5s);
  for (const char* id : {"a", "b"}) {
    ASSERT_THAT(store_->Record(leases.at(id), {.step = ScanStep::kDecoding}), IsOk());
  }
  Wait(10s);
  ASSERT_THAT(store_->Complete(leases.at("a"), "result"), IsOk());
  ASSERT_THAT(store_->Fail(leases.at("b"), {Reason::kNotAVideo, "is text"}), IsOk());
  ASSERT_THAT(store_->Fail(leases.at("c"), {Reason::kNotAVideo, "is a picture"}), IsOk());
  const auto batch = store_->Batch({"", "n"}, 1);
  ASSERT_THAT(batch, IsOk());
  EXPECT_EQ(batch->counts.queued, 1);
  EXPECT_EQ(batch->counts.running, 1);
  EXPECT_EQ(batch->counts.succeeded, 1);
  EXPECT_EQ(batch->counts.failed, 2);
  EXPECT_EQ(batch->counts.cancelled, 1);
  EXPECT_EQ(batch->recently, 3);
  ASSERT_THAT(batch->failures, SizeIs(1));
  EXPECT_EQ(batch->failures[0].jobs, 2);
  ASSERT_THAT(batch->failures[0].examples, SizeIs(1)) << "no more than asked for";
  EXPECT_EQ(batch->failures[0].examples[0].scan_id, "b") << "the oldest";
  EXPECT_EQ(batch->failures[0].examples[0].message, "is text");
  std::chrono::microseconds fast{0};
  for (const BatchShare& share : batch->shares) {
    if (share.tier == "fast") fast += share.time;
  }
  EXPECT_EQ(fast, 20s) << "without downloads";
  EXPECT_EQ(store_->Batch({"", "n"}, 0)->counts.failed, 2) << "quickly, without times";
  EXPECT_EQ(store_->Batch({"", "none"}, 1)->created, std::nullopt);
  EXPECT_EQ(store_->Batch({"", ""}, 1)->created, std::nullopt) << "what is in none is no batch";
  EXPECT_EQ(store_->Batch({"somebody", "n"}, 1)->created, std::nullopt);
}

TEST_P(JobStoreContract, WhatWaitsIsKnownByTierWithItsAgeAndTheTimeItWillTake) {
  EXPECT_THAT(*store_->Tiers(), IsEmpty());
  SubmitTo("", "a", "fast");
  const JobLease lease = Claim("a");
  Wait(4s);
  ASSERT_THAT(store_->Complete(lease, "result"), IsOk());
  SubmitTo("", "b", "fast");
  SubmitTo("", "c", "fast");
  Wait(60s);
  SubmitTo("", "d", "slow");
  const auto tiers = store_->Tiers();
  ASSERT_THAT(tiers, IsOk());
  ASSERT_THAT(*tiers, SizeIs(2));
  EXPECT_EQ((*tiers)[0].tier, "fast");
  EXPECT_EQ((*tiers)[0].queued, 2);
  EXPECT_EQ((*tiers)[0].oldest, 60s);
  EXPECT_EQ((*tiers)[0].work, 8s);
  EXPECT_EQ((*tiers)[1].queued, 1);
  EXPECT_EQ((*tiers)[1].oldest, 0s);
  EXPECT_EQ((*tiers)[1].work, 4s) << "as others, while none of its own has ended";
}

TEST_P(JobStoreContract, ManyAreSubmittedAtOnceAndEachIsAnswered) {
  SubmitTo("n", "there");
  Submit("other", "another request");
  SubmitTo("n", "gone");
  Claim("there");
  ASSERT_THAT(store_->Fail(Claim("other"), {Reason::kNotAVideo, ""}), IsOk());
  ASSERT_THAT(store_->Fail(Claim("gone"), {Reason::kDownloadFailed, ""}), IsOk());
  std::vector<NewJob> jobs;
  for (const char* id : {"there", "other", "gone", "new", "new"}) {
    jobs.push_back({.scan_id = id, .request = "request", .batch = "n"});
  }
  for (int i = 0; i < 120; ++i) {  // more than one statement asks for, or inserts
    jobs.push_back({.scan_id = fmt::format("scan-{}", i), .request = "request", .batch = "n"});
  }
  jobs[3].shown_url = "https://host/video.mp4";
  jobs[3].trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const auto submitted = store_->SubmitAll(jobs);
  ASSERT_THAT(submitted, IsOk());
  ASSERT_THAT(*submitted, SizeIs(125));
  EXPECT_FALSE((*submitted)[0]->created);
  EXPECT_EQ((*submitted)[0]->batch, "n");
  EXPECT_THAT((*submitted)[1], FailsWith(ServiceReason::kScanConflict, HasSubstr("'other'")));
  EXPECT_TRUE((*submitted)[2]->created) << "it failed for a reason that may pass";
  EXPECT_TRUE((*submitted)[3]->created);
  EXPECT_FALSE((*submitted)[4]->created) << "it stands twice";
  EXPECT_EQ(Get("gone").attempts, 0);
  EXPECT_EQ(Get("new").shown_url, "https://host/video.mp4");
  EXPECT_EQ(Get("scan-119").queue_position, 121);
  EXPECT_THAT(StatesOf("scan-60"), ElementsAre(JobState::kQueued));
  EXPECT_EQ(Get("new").trace, jobs[3].trace);
  EXPECT_EQ(Get("scan-60").trace, "");
  EXPECT_EQ(Claim("gone").trace, "");
  EXPECT_EQ(Claim("new").trace, jobs[3].trace);
  for (int i = 0; i < 120; ++i) Claim(fmt::format("scan-{}", i));
  ExpectNothingToClaim();
  EXPECT_THAT(*store_->SubmitAll({}), IsEmpty());
}

TEST_P(JobStoreContract, OfManyAtOnceAsManyAreTakenAsMay) {
  Open({.queue_capacity = 3});
  const OwnerQuotas quotas{.queued = 2, .running = 1};
  const auto submit = [&](const std::string& owner, std::vector<std::string> ids,
                          OwnerQuotas of_owner) {
    std::vector<NewJob> jobs;
    for (const std::string& id : ids) {
      jobs.push_back({.scan_id = JobId(owner, id), .owner = owner, .quotas = of_owner});
    }
    std::string answers;
    const auto submitted = store_->SubmitAll(jobs);
    EXPECT_THAT(submitted, IsOk());
    if (!submitted.ok()) return answers;
    for (const auto& one : *submitted) {
      answers += one.ok() ? "ok " : fmt::format("{} ", Info(*FailureReasonOf(one.status())).name);
    }
    return answers;
  };
  EXPECT_EQ(submit("site", {"a", "b", "c"}, quotas), "ok ok QUOTA_EXCEEDED ");
  EXPECT_EQ(submit("site", {"a", "c"}, quotas), "ok QUOTA_EXCEEDED ") << "one is there";
  EXPECT_EQ(submit("shop", {"a", "b"}, {}), "ok QUEUE_FULL ");
  const JobLease lease = Claim("@site/a");
  Claim("@shop/a");
  ExpectNothingToClaim();  // one of the site's runs at a time
  ASSERT_THAT(store_->Complete(lease, "result"), IsOk());
  Claim("@site/b");
}

TEST_P(JobStoreContract, TurnsOfManyAtOnceAreThoseOfOneAfterTheOther) {
  const auto submit = [&](const std::string& owner, int count) {
    std::vector<NewJob> jobs;
    for (int i = 0; i < count; ++i) {
      jobs.push_back({.scan_id = JobId(owner, std::to_string(i)), .owner = owner});
    }
    ASSERT_THAT(store_->SubmitAll(jobs), IsOk());
  };
  submit("flood", 6);
  submit("flood", 6);  // all there: that costs no turns
  Claim("@flood/0");
  Claim("@flood/1");
  submit("late", 2);
  SubmitAs("flood", "last");
  for (const char* next :
       {"@flood/2", "@late/0", "@flood/3", "@late/1", "@flood/4", "@flood/5", "@flood/last"}) {
    Claim(next);
  }
  ExpectNothingToClaim();
}

TEST_P(JobStoreContract, ManyAreCancelledAtOnce) {
  for (const char* id : {"runs", "a", "b"}) Submit(id);
  Claim("runs");
  const std::vector<std::string> ids = {"runs", "a", "none", "b"};
  EXPECT_EQ(*store_->CancelAll(ids), 2);
  EXPECT_EQ(Get("b").state, JobState::kCancelled);
  EXPECT_TRUE(Get("runs").cancel_requested);
  EXPECT_EQ(*store_->CancelAll(ids), 0);
}

TEST_P(JobStoreContract, ATierThatNobodyKnewIsServedAtOnceWhereNothingElseWaits) {
  const auto other = GetParam().open(*place_, {}, [this] { return now_.load(); });
  EXPECT_FALSE(other->Claim("worker", kLease)->has_value());
  SubmitTo("", "a", "new");
  EXPECT_TRUE(other->Claim("worker", kLease)->has_value());
}

TEST_P(JobStoreContract, JobsOfABatchAreListedPageByPageByStateAndReason) {
  for (const char* id : {"a", "b", "c", "d"}) SubmitTo("n", id);
  SubmitTo("m", "e");
  ASSERT_THAT(store_->Fail(Claim("a"), {Reason::kNotAVideo, ""}), IsOk());
  ASSERT_THAT(store_->Fail(Claim("b"), {Reason::kDownloadFailed, ""}), IsOk());
  const auto first = store_->JobsOfBatch({"", "n"}, JobState::kQueued, "", 0, 1);
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(first->scan_ids, ElementsAre("c"));
  const auto second = store_->JobsOfBatch({"", "n"}, JobState::kQueued, "", first->next, 5);
  ASSERT_THAT(second, IsOk());
  EXPECT_THAT(second->scan_ids, ElementsAre("d"));
  EXPECT_THAT(store_->JobsOfBatch({"", "n"}, JobState::kFailed, "", 0, 5)->scan_ids, SizeIs(2));
  EXPECT_THAT(store_->JobsOfBatch({"", "n"}, JobState::kFailed, "NOT_A_VIDEO", 0, 5)->scan_ids,
              ElementsAre("a"));
  EXPECT_THAT(store_->JobsOfBatch({"x", "n"}, JobState::kFailed, "", 0, 5)->scan_ids, IsEmpty());
}

const Kind kSqlite = {
    "Sqlite", [](const TempFolder& folder) { return (folder.path() / "state/jobs.db").string(); },
    [](const std::string& place, const JobLimits& limits, std::function<JobTime()> now) {
      auto store = OpenSqliteJobs(place, limits, {.now = std::move(now)});
      EXPECT_THAT(store, IsOk());
      return *std::move(store);
    }};

const Kind kPostgres = {
    "PostgreSQL",
    [](const TempFolder&) -> std::optional<std::string> {
      if (TestPostgres::Get() == nullptr) return std::nullopt;
      return TestPostgres::Get()->MakeDatabase();
    },
    [](const std::string& place, const JobLimits& limits, std::function<JobTime()> now) {
      auto store = OpenPostgresJobs(place, limits, {.now = std::move(now)});
      EXPECT_THAT(store, IsOk());
      return *std::move(store);
    }};

const Kind kPgBouncer = {
    "PgBouncer",
    [](const TempFolder&) -> std::optional<std::string> {
      TestPostgres* const server = TestPostgres::Get();
      if (server == nullptr) return std::nullopt;
      const std::string database = server->MakeDatabase();
      const std::string url = server->BouncerUrl(database);
      return url.empty() ? std::nullopt : std::optional(url + " " + database);
    },
    [](const std::string& place, const JobLimits& limits, std::function<JobTime()> now) {
      const auto space = place.find(' ');
      auto store = OpenPostgresJobs(place.substr(0, space), limits,
                                    {.listen_url = place.substr(space + 1), .now = std::move(now)});
      EXPECT_THAT(store, IsOk());
      return *std::move(store);
    }};

INSTANTIATE_TEST_SUITE_P(Stores, JobStoreContract, testing::Values(kSqlite, kPostgres, kPgBouncer),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace glint
