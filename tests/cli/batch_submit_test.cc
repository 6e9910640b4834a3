// SPDX-License-Identifier: Apache-2.0
#include "cli/batch_submit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>
#include <string>

#include "jobs/failure_reason.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::SizeIs;

/// A worker whose queue takes only so many, and whose answers can get lost.
class FakeWorker final : public Client {
 public:
  std::set<std::string> queued;
  std::size_t room = 1'000'000;
  std::function<absl::Status()> lost = [] { return absl::OkStatus(); };
  int calls = 0;

  absl::StatusOr<v1::SubmitBatchResponse> SubmitBatch(
      std::span<const v1::SubmitScanRequest> scans) override {
    ++calls;
    v1::SubmitBatchResponse response;
    for (const v1::SubmitScanRequest& scan : scans) {
      if (queued.contains(scan.scan_id())) {
        response.set_existed(response.existed() + 1);
      } else if (scan.scan_id() == "bad" || queued.size() >= room) {
        auto& refusal = *response.add_refused();
        refusal.set_scan_id(scan.scan_id());
        refusal.mutable_error()->set_message("the queue is full");
        refusal.mutable_error()->set_reason(scan.scan_id() == "bad" ? "URL_NOT_ALLOWED"
                                                                    : "QUEUE_FULL");
      } else {
        queued.insert(scan.scan_id());
        response.set_created(response.created() + 1);
      }
    }
    if (absl::Status gone = lost(); !gone.ok()) return gone;
    return response;
  }

  absl::StatusOr<v1::SubmitScanResponse> Submit(const v1::SubmitScanRequest&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<v1::Scan> Get(const std::string&) override { return absl::UnimplementedError(""); }
  absl::StatusOr<v1::ListScansResponse> List(const v1::ListScansRequest&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<v1::Scan> Cancel(const std::string&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<v1::WorkerInfo> WorkerInfo() override { return absl::UnimplementedError(""); }
  absl::StatusOr<v1::ListWorkersResponse> ListWorkers() override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<v1::Batch> GetBatch(const v1::GetBatchRequest&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<v1::CancelBatchResponse> CancelBatch(const v1::CancelBatchRequest&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<v1::RetryBatchResponse> RetryBatch(const v1::RetryBatchRequest&) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<v1::Scan> Watch(const std::string&, std::int64_t, const OnScanEvent&,
                                 const std::stop_token&) override {
    return absl::UnimplementedError("");
  }
  absl::Status CheckHealth(const std::string&) override { return absl::OkStatus(); }
};

std::vector<v1::SubmitScanRequest> Scans(int count) {
  std::vector<v1::SubmitScanRequest> scans(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    scans[static_cast<std::size_t>(i)].set_scan_id(fmt::format("s{}", i));
  return scans;
}

const BatchSubmitOptions kQuick{.give_up_after = 5s, .queue_pause = 1ms};

TEST(SubmitInPieces, AllAreSubmittedAndRefusalsKept) {
  FakeWorker worker;
  auto scans = Scans(1'200);
  scans[700].set_scan_id("bad");
  std::size_t last = 0;
  const auto submitted = SubmitInPieces(
      worker, scans, kQuick, [&](std::size_t done, const std::string&) { last = done; }, {});
  ASSERT_THAT(submitted, IsOk());
  EXPECT_EQ(submitted->created, 1'199);
  EXPECT_THAT(submitted->refused, SizeIs(1));
  EXPECT_EQ(worker.calls, 3);
  EXPECT_EQ(last, 1'200U);
}

TEST(SubmitInPieces, WhatWasSentBeforeAnInterruptionIsNotQueuedTwice) {
  FakeWorker worker;
  int answers = 0;
  worker.lost = [&]() -> absl::Status {
    if (++answers % 2 == 0) return absl::OkStatus();
    return Error(ServiceReason::kWorkerUnreachable, "the answer is lost");
  };
  const auto submitted = SubmitInPieces(worker, Scans(1'000), kQuick, [](auto, const auto&) {}, {});
  ASSERT_THAT(submitted, IsOk());
  EXPECT_EQ(worker.queued.size(), 1'000U);
  EXPECT_EQ(submitted->created + submitted->existed, 1'000);
}

TEST(SubmitInPieces, AFullQueueIsWaitedForAndNothingIsLeftOut) {
  FakeWorker worker;
  worker.room = 100;
  std::set<std::string> waits;
  const auto submitted = SubmitInPieces(worker, Scans(750), kQuick,
                                        [&](std::size_t, const std::string& why) {
                                          waits.insert(why);
                                          worker.room += 100;  // scans end
                                        },
                                        {});
  ASSERT_THAT(submitted, IsOk());
  EXPECT_EQ(submitted->created, 750);
  EXPECT_THAT(submitted->refused, SizeIs(0));
  EXPECT_TRUE(waits.contains("the queue is full"));
}

TEST(SubmitInPieces, EndsWhenItIsToldToOrMayNot) {
  FakeWorker worker;
  worker.room = 0;
  std::stop_source stop;
  const auto stopped = SubmitInPieces(
      worker, Scans(10), kQuick, [&](auto, const auto&) { stop.request_stop(); }, stop.get_token());
  EXPECT_THAT(stopped, FailsWith(Reason::kCancelled, testing::_));
  worker.lost = [] { return Error(ServiceReason::kUnauthenticated, "no"); };
  EXPECT_THAT(SubmitInPieces(worker, Scans(10), kQuick, [](auto, const auto&) {}, {}),
              FailsWith(ServiceReason::kUnauthenticated, testing::_));
}

}  // namespace
}  // namespace glint
