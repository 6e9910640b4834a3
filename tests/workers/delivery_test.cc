// SPDX-License-Identifier: Apache-2.0
// Finished results whose place is away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "base/at_once.h"
#include "support/status_matchers.h"
#include "workers/completion_marker.h"
#include "workers/kept_results.h"
#include "workers/scan_worker_test.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;

/// A store in memory that a test takes away and brings back.
class SwitchedStore final : public ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;

  void Set(absl::Status failure) {
    const std::scoped_lock lock(mutex_);
    failure_ = std::move(failure);
  }
  /// Lets only sets under this prefix fail.
  void SetOnly(std::string prefix) {
    const std::scoped_lock lock(mutex_);
    only_ = std::move(prefix);
  }

  absl::StatusOr<std::unique_ptr<Publication>> Resume(std::string_view prefix,
                                                      const PublicationAttempt& attempt,
                                                      const CancelToken& cancel) override {
    if (absl::Status fault = Fault(prefix); !fault.ok()) return fault;
    return ForwardingStore::Resume(prefix, attempt, cancel);
  }
  absl::StatusOr<bool> Complete(std::string_view prefix, const CancelToken& cancel) override {
    if (absl::Status fault = Fault(prefix); !fault.ok()) return fault;
    return ForwardingStore::Complete(prefix, cancel);
  }
  absl::StatusOr<std::string> Get(std::string_view prefix, std::string_view name,
                                  const CancelToken& cancel) override {
    if (absl::Status fault = Fault(prefix); !fault.ok()) return fault;
    return ForwardingStore::Get(prefix, name, cancel);
  }
  std::string Host() const override { return "minio.internal"; }

 private:
  absl::Status Fault(std::string_view prefix) {
    const std::scoped_lock lock(mutex_);
    return only_.empty() || only_ == prefix ? failure_ : absl::OkStatus();
  }

  std::mutex mutex_;
  absl::Status failure_;
  std::string only_;
};

absl::Status Away() { return Error(Reason::kStoreUnavailable, "HTTP 503"); }

class Delivery : public ScanWorkerTest {
 protected:
  Delivery() {
    handler_.deps = [this](const Job&) {
      return ScanDeps{*fetcher_, switched_, devices_, threads_};
    };
    options_.results = results_;
    options_.delivery.first_wait = 5ms;
    options_.delivery.longest_wait = 20ms;
  }
  ~Delivery() override { pool_.reset(); }

  void Begin() {
    Start(options_,
          [this](const ScanRequest& request, const ScanDeps& deps, const CancelToken& cancel) {
            ++scans_;
            return PublishSmallResult(request, deps, cancel);
          });
  }
  void WaitUntilItWaits(const std::string& scan_id, int attempt = 1) {
    WaitUntil([&] { return Get(scan_id).delivery.value_or(JobDelivery()).attempt >= attempt; });
  }
  std::size_t FilesKept() const {
    std::error_code error;
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(results_, error), fs::directory_iterator()));
  }

  SwitchedStore switched_{store_};
  const fs::path results_ = folder_.path() / "results";
  ScanWorkerOptions options_;
  std::atomic<int> scans_ = 0;
};

TEST_F(Delivery, CallersDoNotLearnWhereTheStoreIs) {
  const std::string said = "https://minio.internal:9000/b/mask.png: there is no connection";
  switched_.Set(Error(Reason::kStoreUnavailable, said));
  Submit("a");
  Begin();
  WaitUntilItWaits("a");
  EXPECT_EQ(Get("a").delivery.value_or(JobDelivery()).because, "the store: there is no connection");
  switched_.Set(Error(Reason::kOutputUnwritable, said));
  EXPECT_EQ(WaitForEnd("a").failure.value_or(JobFailure()).message,
            "the store: there is no connection");
  WaitUntil([&] { return !pool_->deliveries().away; });  // then "b" looks for an earlier result
  Submit("b");
  EXPECT_EQ(WaitForEnd("b").failure.value_or(JobFailure()).message,
            "looking for an earlier result: the store: there is no connection");
}

TEST_F(Delivery, AResultWaitsForItsStoreAndIsNotMadeTwice) {
  switched_.Set(Away());
  Submit("a");
  Begin();
  WaitUntilItWaits("a", 3);
  const Job waiting = Get("a");
  EXPECT_EQ(waiting.state, JobState::kRunning);
  EXPECT_EQ(waiting.progress.step, ScanStep::kUploading);
  EXPECT_THAT(waiting.delivery.value_or(JobDelivery()).because, HasSubstr("503"));
  EXPECT_TRUE(pool_->deliveries().away);
  EXPECT_EQ(pool_->deliveries().waiting, 1);
  EXPECT_EQ(pool_->idle_for(), std::nullopt) << "a worker with results is not idle";
  EXPECT_EQ(FilesKept(), 1U);
  switched_.Set(absl::OkStatus());
  const Job ended = WaitForEnd("a");
  EXPECT_EQ(ended.state, JobState::kSucceeded);
  EXPECT_FALSE(ended.delivery);
  EXPECT_EQ(ended.result, "a with 1 objects");
  EXPECT_EQ(*FindCompletedResult(store_, "a", ended, CancelToken()), ended.result);
  EXPECT_EQ(scans_, 1);
  WaitUntil([&] { return FilesKept() == 0 && !pool_->deliveries().away; });
}

TEST_F(Delivery, ScansGoOnUntilTheSpaceIsSpentAndAfterIt) {
  switched_.Set(Away());
  options_.delivery.space = 400;  // two of these results, with their markers
  for (const char* scan : {"a", "b", "c", "d"}) Submit(scan);
  Begin();
  WaitUntil([&] { return pool_->deliveries().paused; });
  EXPECT_EQ(pool_->deliveries().waiting, scans_);
  EXPECT_GE(scans_, 2);
  EXPECT_LT(scans_, 4);
  EXPECT_EQ(Get("d").state, JobState::kQueued);
  switched_.Set(absl::OkStatus());
  for (const char* scan : {"a", "b", "c", "d"}) {
    EXPECT_EQ(WaitForEnd(scan).state, JobState::kSucceeded) << scan;
  }
  EXPECT_EQ(scans_, 4);
}

TEST_F(Delivery, AWorkerThatStartsAgainDeliversWhatTheOldOneKept) {
  switched_.Set(Away());
  Submit("a");
  Submit("b");
  Begin();
  WaitUntilItWaits("a");
  WaitUntilItWaits("b");
  pool_.reset();
  EXPECT_EQ(Get("a").state, JobState::kQueued);
  EXPECT_TRUE(Get("a").delivery) << "it is still said that its result waits";
  EXPECT_EQ(FilesKept(), 2U);
  Begin();
  WaitUntilItWaits("a", 2);
  switched_.Set(absl::OkStatus());
  EXPECT_EQ(WaitForEnd("a").state, JobState::kSucceeded);
  EXPECT_EQ(WaitForEnd("b").state, JobState::kSucceeded);
  EXPECT_EQ(scans_, 2);
}

TEST_F(Delivery, AWorkerThatDiedLeavesItsResultToTheNext) {
  Submit("a");
  const auto claimed = jobs_->Claim("dead", 1ms);
  ASSERT_TRUE(claimed.ok() && *claimed);
  const Job& job = (*claimed)->job;
  const auto writer = KeptResults(results_).Begin(job, "7");
  ASSERT_THAT(writer->Put("report.json", std::as_bytes(std::span("{}", 2)), "application/json"),
              IsOk());
  const std::string marker = MakeCompletionMarker(job, "of the dead");
  ASSERT_THAT(writer->Put(kCompletionMarkerName, std::as_bytes(std::span(marker)), "x"), IsOk());
  ASSERT_THAT(writer->Finish(job, "of the dead",
                             std::chrono::time_point_cast<std::chrono::microseconds>(
                                 std::chrono::system_clock::now())),
              IsOk());
  Begin();
  const Job ended = WaitForEnd("a");
  EXPECT_EQ(ended.state, JobState::kSucceeded);
  EXPECT_EQ(ended.result, "of the dead");
  EXPECT_EQ(scans_, 0);
  EXPECT_EQ(store_.sets().at("a").at("report.json"), "{}");
}

TEST_F(Delivery, AResultThatWaitedTooLongFailsAndMayBeMadeAgain) {
  switched_.Set(Away());
  options_.delivery.within = 0ms;
  Submit("a");
  Begin();
  const Job ended = WaitForEnd("a");
  ASSERT_TRUE(ended.failure);
  EXPECT_EQ(ended.failure->reason, Reason::kStoreUnavailable);
  EXPECT_THAT(ended.failure->message, HasSubstr("503"));
  switched_.Set(absl::OkStatus());
  Submit("a");
  EXPECT_EQ(WaitForEnd("a").state, JobState::kSucceeded);
  EXPECT_EQ(scans_, 2);
}

TEST_F(Delivery, WhatTheStoreRefusesFailsAtOnce) {
  switched_.Set(Error(Reason::kOutputUnwritable, "HTTP 413"));
  Submit("a");
  Begin();
  EXPECT_EQ(WaitForEnd("a").failure.value_or(JobFailure{}).reason, Reason::kOutputUnwritable);
  EXPECT_EQ(FilesKept(), 0U);
}

TEST_F(Delivery, CredentialsThatWorkedAndAreRefusedAreWaitedFor) {
  switched_.Set(Error(Reason::kStoreDenied, "HTTP 403"));
  Submit("refused");
  Begin();
  EXPECT_EQ(WaitForEnd("refused").failure.value_or(JobFailure{}).reason, Reason::kStoreDenied);
  switched_.Set(absl::OkStatus());
  Submit("works");
  EXPECT_EQ(WaitForEnd("works").state, JobState::kSucceeded);
  switched_.Set(Error(Reason::kStoreDenied, "HTTP 403"));
  Submit("waits");
  WaitUntilItWaits("waits", 2);
  switched_.Set(absl::OkStatus());
  EXPECT_EQ(WaitForEnd("waits").state, JobState::kSucceeded);
}

TEST_F(Delivery, ACancelledScanIsNotDelivered) {
  switched_.Set(Away());
  Submit("a");
  Begin();
  WaitUntilItWaits("a");
  ASSERT_THAT(jobs_->Cancel("a"), IsOk());
  EXPECT_EQ(WaitForEnd("a").state, JobState::kCancelled);
  switched_.Set(absl::OkStatus());
  WaitUntil([&] { return pool_->deliveries().waiting == 0 && FilesKept() == 0; });
  EXPECT_THAT(store_.sets(), IsEmpty());
}

TEST_F(Delivery, OneResultThatCannotBeStoredDoesNotHoldUpOthers) {
  switched_.Set(Away());
  for (const char* scan : {"a", "b", "c"}) Submit(scan);
  Begin();
  for (const char* scan : {"a", "b", "c"}) WaitUntilItWaits(scan);
  switched_.SetOnly("a");
  EXPECT_EQ(WaitForEnd("b").state, JobState::kSucceeded);
  EXPECT_EQ(WaitForEnd("c").state, JobState::kSucceeded);
  EXPECT_FALSE(IsFinal(Get("a").state));
  switched_.Set(absl::OkStatus());
  EXPECT_EQ(WaitForEnd("a").state, JobState::kSucceeded);
}

TEST_F(Delivery, ResultsAreHeldInMemoryWhereTheDiskTakesNone) {
  std::ofstream(results_) << "a file where the folder should be";
  switched_.Set(Away());
  Submit("a");
  Submit("b");
  Begin();
  WaitUntil([&] { return pool_->deliveries().paused; });
  EXPECT_EQ(Get("b").state, JobState::kQueued) << "memory does not take many";
  switched_.Set(absl::OkStatus());
  EXPECT_EQ(WaitForEnd("a").state, JobState::kSucceeded);
  EXPECT_EQ(WaitForEnd("b").state, JobState::kSucceeded);
  EXPECT_EQ(scans_, 2);
}

TEST_F(Delivery, ALostClaimLeavesTheResultToItsSuccessor) {
  switched_.Set(Away());
  options_.lease_time = 300ms;
  // The lost job is for another to claim: this pool, of one lane, claims no second time.
  std::atomic<int> claims = 0;
  handler_.ready = [&](const CancelToken&) { return claims++ == 0; };
  Submit("a");
  Begin();
  WaitUntilItWaits("a");
  EXPECT_EQ(*jobs_->ExpireLeasesOf("worker"), 1);
  EXPECT_TRUE(*jobs_->Claim("another", 1h));
  WaitUntil([&] { return pool_->deliveries().waiting == 0; });
  EXPECT_EQ(Get("a").state, JobState::kRunning);
  EXPECT_EQ(FilesKept(), 1U) << "for the other worker";
  pool_.reset();
}

TEST(KeptResultsTest, WhatEndedJobsLeftIsSweptAndWhatIsWaitedForStays) {
  const TempFolder folder;
  auto jobs = *OpenSqliteJobs(folder.path() / "jobs.db", {}, {});
  const KeptResults results(folder.path() / "results");
  for (const char* scan : {"waits", "ended"}) {
    ASSERT_THAT(jobs->Submit({scan, "request", ""}), IsOk());
    const Job job = *jobs->Get(scan);
    const auto writer = results.Begin(job, "1");
    ASSERT_THAT(writer->Put("a.png", std::as_bytes(std::span("12345", 5)), "image/png"), IsOk());
    ASSERT_THAT(writer->Put("a.png", std::as_bytes(std::span("6", 1)), "image/png"), IsOk());
    ASSERT_THAT(writer->Finish(job, "result", JobTime(1us)), IsOk());
  }
  ASSERT_THAT(jobs->Cancel("ended"), IsOk());
  results.Sweep(*jobs);
  EXPECT_EQ(results.Find(*jobs->Get("ended")), nullptr);
  const auto kept = results.Find(*jobs->Get("waits"));
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->result(), "result");
  EXPECT_EQ(kept->attempt(), "1");
  ASSERT_THAT(kept->objects(), SizeIs(1)) << "the latest of a name counts";
  EXPECT_THAT(*kept->Read(kept->objects()[0]), testing::ElementsAre(std::byte{'6'}));
  Job other = *jobs->Get("waits");
  other.request = "another";
  EXPECT_EQ(results.Find(other), nullptr);
  fs::resize_file(fs::directory_iterator(folder.path() / "results")->path(), 20);
  EXPECT_EQ(results.Find(*jobs->Get("waits")), nullptr) << "a damaged file is none";
}

TEST(ForEachAtOnce, DoesAllAndStopsAtTheFirstFailure) {
  std::atomic<int> sum = 0;
  EXPECT_THAT(ForEachAtOnce(100, 16,
                            [&](std::size_t i) {
                              sum += static_cast<int>(i);
                              return absl::OkStatus();
                            }),
              IsOk());
  EXPECT_EQ(sum, 4950);
  EXPECT_THAT(ForEachAtOnce(3, 1,
                            [&](std::size_t i) -> absl::Status {
                              if (i == 1) throw std::runtime_error("a bug");
                              EXPECT_NE(i, 2U);
                              return absl::OkStatus();
                            }),
              FailsWith(Reason::kInternal, HasSubstr("a bug")));
  EXPECT_THAT(ForEachAtOnce(0, 16, [](std::size_t) { return absl::OkStatus(); }), IsOk());
}

}  // namespace
}  // namespace glint
