// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <set>
#include <thread>
#include <vector>

#include "api/failure.h"
#include "api/result.h"
#include "serve/test_server.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

absl::Status GetScan(TestServer& server, const std::string& id, v1::Scan* scan = nullptr) {
  Call call;
  v1::GetScanRequest request;
  request.set_scan_id(id);
  v1::GetScanResponse response;
  const grpc::Status status = server.scans().GetScan(&call, request, &response);
  if (scan != nullptr) *scan = response.scan();
  return FromGrpc(status);
}

TEST(ScanService, AScanKeepsTheTraceOfTheCallThatSubmittedIt) {
  TestServer server;
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  for (const std::string& sent : {trace, std::string("no trace at all")}) {
    const std::string scan_id = sent == trace ? "traced" : "untraced";
    Call call;
    call.AddMetadata("traceparent", sent);
    v1::SubmitScanResponse response;
    ASSERT_TRUE(server.scans().SubmitScan(&call, SubmitRequest(scan_id), &response).ok());
  }
  EXPECT_EQ(server.jobs().Get("traced")->trace, trace);
  EXPECT_EQ(server.jobs().Get("untraced")->trace, "");
}

TEST(SubmitScan, IsQueuedAndKnownWhenItReturns) {
  TestServer server;
  const auto response = Submit(server, "a");
  EXPECT_TRUE(response.created());
  EXPECT_EQ(response.scan().state(), v1::SCAN_STATE_QUEUED);
  EXPECT_EQ(response.scan().video_url(), "https://media.example/v.mp4");
  EXPECT_EQ(response.scan().options().item_type(), "generic");
  EXPECT_GT(response.scan().create_time().seconds(), 0);
  v1::Scan scan;
  EXPECT_THAT(GetScan(server, "a", &scan), IsOk());
  EXPECT_EQ(scan.scan_id(), "a");
  EXPECT_THAT(scan.ShortDebugString(), Not(HasSubstr("planted-secret")));
}

TEST(SubmitScan, TheSameRequestAgainIsTheSameScan) {
  TestServer server;
  Submit(server, "a");
  EXPECT_FALSE(Submit(server, "a").created());
  EXPECT_EQ(server.jobs().Counts()->queued, 1);
}

TEST(SubmitScan, AnotherRequestUnderTheSameIdIsRefused) {
  TestServer server;
  Submit(server, "a");
  v1::SubmitScanRequest other = SubmitRequest("a");
  other.mutable_options()->set_golden_frames(9);
  Call call;
  v1::SubmitScanResponse response;
  const grpc::Status status = server.scans().SubmitScan(&call, other, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ALREADY_EXISTS);
  EXPECT_THAT(FromGrpc(status), FailsWith(ServiceReason::kScanConflict, testing::_));
}

TEST(SubmitScan, ManyAtOnceUnderOneIdMakeOneScan) {
  TestServer server;
  std::atomic<int> created = 0;
  {
    std::vector<std::jthread> callers;
    callers.reserve(16);
    for (int i = 0; i < 16; ++i) {
      callers.emplace_back([&] { created += Submit(server, "a").created() ? 1 : 0; });
    }
  }
  EXPECT_EQ(created, 1);
  EXPECT_EQ(server.jobs().Counts()->queued, 1);
}

TEST(SubmitScan, AFullQueueSaysWhenToTryAgain) {
  TestServer server({.jobs = {.queue_capacity = 2}});
  Submit(server, "a");
  Submit(server, "b");
  Call call;
  v1::SubmitScanResponse response;
  const grpc::Status status = server.scans().SubmitScan(&call, SubmitRequest("c"), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(FromGrpc(status), FailsWith(ServiceReason::kQueueFull, testing::_));
  EXPECT_TRUE(RetryDelayOf(status).has_value());
  EXPECT_FALSE(Submit(server, "b").created()) << "what is queued already is still known";
}

TEST(SubmitScan, HostileFieldsAreAllNamed) {
  TestServer server;
  v1::SubmitScanRequest request;
  request.set_scan_id("../../etc/passwd");
  request.set_video_url("file:///etc/passwd");
  request.mutable_options()->set_golden_gap(-5);
  Call call;
  v1::SubmitScanResponse response;
  const grpc::Status status = server.scans().SubmitScan(&call, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  std::vector<std::string> fields;
  for (const auto& wrong : ViolationsOf(status)) fields.push_back(wrong.field);
  EXPECT_THAT(fields, ElementsAre("scan_id", "video_url", "options.golden_gap"));
  EXPECT_EQ(server.jobs().Counts()->queued, 0);
}

TEST(SubmitScan, TheUrlPolicyRefusesBeforeAnythingIsQueued) {
  TestServer server({.rules = {.check_url = [](std::string_view) {
                       return Error(Reason::kUrlNotAllowed, "not that host");
                     }}});
  Call call;
  v1::SubmitScanResponse response;
  const grpc::Status status = server.scans().SubmitScan(&call, SubmitRequest("a"), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(server.jobs().Counts()->queued, 0);
}

TEST(SubmitScan, AJobStoreThatFailsIsUnavailableWithAWait) {
  TestServer server;
  server.jobs().SetFault([] { return Error(ServiceReason::kJobStoreUnavailable, "locked"); });
  Call call;
  v1::SubmitScanResponse response;
  const grpc::Status status = server.scans().SubmitScan(&call, SubmitRequest("a"), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(FromGrpc(status), FailsWith(ServiceReason::kJobStoreUnavailable, "locked"));
  EXPECT_TRUE(RetryDelayOf(status).has_value());
}

TEST(SubmitScan, ExceptionsEndOneCallOnly) {
  TestServer server;
  server.jobs().SetFault([]() -> absl::Status { throw std::runtime_error("boom"); });
  EXPECT_THAT(GetScan(server, "a"), FailsWith(Reason::kInternal, HasSubstr("boom")));
  server.jobs().SetFault(nullptr);
  EXPECT_THAT(GetScan(server, "a"), FailsWith(ServiceReason::kScanNotFound, testing::_));
}

TEST(SubmitScan, OversizedMessagesAreRefused) {
  TestServer server({.server = {.max_message_bytes = 64 << 10}});
  v1::SubmitScanRequest request = SubmitRequest("a");
  request.mutable_options()->set_item_type(std::string(100 << 10, 'x'));
  Call call;
  v1::SubmitScanResponse response;
  const grpc::Status status = server.scans().SubmitScan(&call, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  EXPECT_TRUE(Submit(server, "a").created()) << "the connection goes on";
}

TEST(SubmitScan, ADrainingWorkerTakesNothingAndStillAnswers) {
  TestServer server;
  Submit(server, "a");
  server.server().StartDraining();
  Call call;
  v1::SubmitScanResponse response;
  const grpc::Status status = server.scans().SubmitScan(&call, SubmitRequest("b"), &response);
  EXPECT_THAT(FromGrpc(status), FailsWith(ServiceReason::kDraining, testing::_));
  EXPECT_TRUE(RetryDelayOf(status).has_value());
  EXPECT_THAT(GetScan(server, "a"), IsOk());
}

TEST(Calls, TooManyWaitingOnesAreRefusedAndTheRestAnswered) {
  TestServer server({.server = {.max_waiting_calls = 2, .store_threads = 1}});
  Submit(server, "a");
  std::atomic<bool> hold = true;
  std::atomic<int> entered = 0;
  server.jobs().SetFault([&] {
    ++entered;
    while (hold) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return absl::OkStatus();
  });
  std::atomic<int> answered = 0;
  std::atomic<int> refused = 0;
  {
    const auto call = [&] {
      const absl::Status status = GetScan(server, "a");
      if (status.ok()) ++answered;
      if (FailureReasonOf(status) == ServiceReason::kOverloaded) ++refused;
    };
    std::vector<std::jthread> callers;
    callers.emplace_back(call);
    ASSERT_TRUE(Eventually([&] { return entered == 1; }));
    for (int i = 1; i < 12; ++i) callers.emplace_back(call);
    EXPECT_TRUE(Eventually([&] { return refused >= 9; }));
    hold = false;
  }
  EXPECT_EQ(answered, 3) << "one at work and two waiting";
  EXPECT_EQ(refused, 9);
}

TEST(GetScan, HostileIdsAreInvalidAndUnknownOnesNotFound) {
  TestServer server;
  for (const std::string id : {"", ".", "../x", "a/b", "a b"}) {
    EXPECT_THAT(GetScan(server, id), FailsWith(Reason::kInvalidOption, HasSubstr("scan_id")));
  }
  EXPECT_THAT(GetScan(server, std::string(129, 'a')),
              FailsWith(Reason::kInvalidOption, testing::_));
  EXPECT_THAT(GetScan(server, "unknown"), FailsWith(ServiceReason::kScanNotFound, testing::_));
}

TEST(GetScan, ShowsResultWithLinksOrFailureWithReason) {
  TestServer server(
      {.rules = {.links = [](std::string_view prefix, std::span<const std::string> names)
                     -> absl::StatusOr<std::vector<ObjectLink>> {
         std::vector<ObjectLink> links;
         for (const auto& name : names) {
           links.push_back({"bucket/" + name, "https://s/" + std::string(prefix)});
         }
         return links;
       }}});
  Submit(server, "a");
  const JobLease good = server.Claim();
  ScanReport report;
  report.damaged_percent = 4.5;
  const std::vector<StoredObject> objects = {{"mask.png", "image/png", 10}};
  ASSERT_THAT(server.jobs().Complete(good, EncodeResult(report, 1, "a", objects)), IsOk());
  v1::Scan scan;
  ASSERT_THAT(GetScan(server, "a", &scan), IsOk());
  EXPECT_EQ(scan.state(), v1::SCAN_STATE_SUCCEEDED);
  EXPECT_EQ(scan.result().summary().damaged_percent(), 4.5);
  EXPECT_EQ(scan.result().objects(0).url(), "https://s/a");
  EXPECT_EQ(scan.attempts(), 1);
  EXPECT_GE(scan.end_time().seconds(), scan.create_time().seconds());

  Submit(server, "b");
  ASSERT_THAT(server.jobs().Fail(server.Claim(), {Reason::kNotAVideo, "no video in it"}), IsOk());
  ASSERT_THAT(GetScan(server, "b", &scan), IsOk());
  EXPECT_EQ(scan.state(), v1::SCAN_STATE_FAILED);
  EXPECT_EQ(scan.error().reason(), "NOT_A_VIDEO");
  EXPECT_EQ(scan.error().code(), static_cast<int>(grpc::StatusCode::INVALID_ARGUMENT));
  EXPECT_EQ(scan.error().message(), "no video in it");
  EXPECT_FALSE(scan.error().retryable());
}

TEST(ListScans, PagesThroughAllNewestFirstAndFilters) {
  TestServer server;
  for (int i = 0; i < 7; ++i) Submit(server, fmt::format("s{}", i));
  ASSERT_THAT(server.jobs().Cancel("s3"), IsOk());
  const auto list = [&](v1::ScanState state, std::vector<std::string>& ids) {
    v1::ListScansRequest request;
    request.set_page_size(3);
    request.set_state(state);
    do {
      Call call;
      v1::ListScansResponse response;
      auto status = FromGrpc(server.scans().ListScans(&call, request, &response));
      if (!status.ok()) return status;
      for (const auto& scan : response.scans()) ids.push_back(scan.scan_id());
      request.set_page_token(response.next_page_token());
    } while (!request.page_token().empty());
    return absl::OkStatus();
  };
  std::vector<std::string> all;
  EXPECT_THAT(list(v1::SCAN_STATE_UNSPECIFIED, all), IsOk());
  EXPECT_THAT(all, ElementsAre("s6", "s5", "s4", "s3", "s2", "s1", "s0"));
  std::vector<std::string> cancelled;
  EXPECT_THAT(list(v1::SCAN_STATE_CANCELLED, cancelled), IsOk());
  EXPECT_THAT(cancelled, ElementsAre("s3"));
}

TEST(ListScans, RefusesWhatIsNoPage) {
  TestServer server;
  v1::ListScansRequest request;
  request.set_page_size(1001);
  request.set_state(static_cast<v1::ScanState>(99));
  Call call;
  v1::ListScansResponse response;
  std::vector<std::string> fields;
  for (const auto& wrong : ViolationsOf(server.scans().ListScans(&call, request, &response))) {
    fields.push_back(wrong.field);
  }
  EXPECT_THAT(fields, ElementsAre("page_size", "state"));
  request.Clear();
  request.set_page_token("nonsense ' OR 1=1");
  Call again;
  const auto wrong = ViolationsOf(server.scans().ListScans(&again, request, &response));
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_EQ(wrong[0].field, "page_token");
}

TEST(CancelScan, EndsAQueuedScanAndMarksARunningOne) {
  TestServer server;
  Submit(server, "running");
  server.Claim();
  Submit(server, "queued");
  const auto cancel = [&](const std::string& id, v1::Scan* scan) {
    Call call;
    v1::CancelScanRequest request;
    request.set_scan_id(id);
    v1::CancelScanResponse response;
    auto status = FromGrpc(server.scans().CancelScan(&call, request, &response));
    *scan = response.scan();
    return status;
  };
  v1::Scan scan;
  EXPECT_THAT(cancel("queued", &scan), IsOk());
  EXPECT_EQ(scan.state(), v1::SCAN_STATE_CANCELLED);
  EXPECT_EQ(scan.error().reason(), "CANCELLED");
  EXPECT_THAT(cancel("queued", &scan), IsOk()) << "again changes nothing";
  EXPECT_THAT(cancel("running", &scan), IsOk());
  EXPECT_EQ(scan.state(), v1::SCAN_STATE_RUNNING);
  EXPECT_TRUE(server.jobs().Get("running")->cancel_requested);
  EXPECT_THAT(cancel("unknown", &scan), FailsWith(ServiceReason::kScanNotFound, testing::_));
}

TEST(GetScan, WaitsForNobodyElsesSignatures) {
  std::promise<void> sign;
  std::shared_future<void> signed_now = sign.get_future().share();
  TestServer server({.server = {.store_threads = 1},
                     .rules = {.links = [&](std::string_view, std::span<const std::string> names) {
                       signed_now.wait();
                       return std::vector<ObjectLink>(names.size());
                     }}});
  Submit(server, "done");
  const JobLease lease = server.Claim();
  const std::vector<StoredObject> objects = {{"mask.png", "image/png", 10}};
  ASSERT_THAT(server.jobs().Complete(lease, EncodeResult(ScanReport(), 1, "done", objects)),
              IsOk());
  Submit(server, "waits");
  const auto get = [&](const std::string& id) {
    Call call;
    v1::GetScanRequest request;
    request.set_scan_id(id);
    v1::GetScanResponse response;
    return server.scans().GetScan(&call, request, &response).ok();
  };
  std::vector<std::future<bool>> held;
  held.reserve(20);
  for (int i = 0; i < 20; ++i) {
    held.push_back(std::async(std::launch::async, [&] { return get("done"); }));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(get("waits"));
  Submit(server, "new");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  sign.set_value();
  for (auto& one : held) EXPECT_TRUE(one.get());
}

TEST(CancelScan, AStormOfCancelsAndSubmitsLeavesEveryScanInOneFinalState) {
  TestServer server;
  constexpr int kScans = 60;
  {
    std::vector<std::jthread> callers;
    callers.reserve(8);
    for (int thread = 0; thread < 8; ++thread) {
      callers.emplace_back([&, thread] {
        for (int i = 0; i < kScans; ++i) {
          const std::string id = fmt::format("s{}", (i * 7 + thread) % kScans);
          // Also calls that their callers give up at once.
          Call call("", std::chrono::seconds(60));
          if ((i + thread) % 5 == 0) {
            call.set_deadline(std::chrono::system_clock::now() + std::chrono::microseconds(300));
          }
          v1::SubmitScanResponse submitted;
          server.scans().SubmitScan(&call, SubmitRequest(id), &submitted);
          Call other;
          v1::CancelScanRequest request;
          request.set_scan_id(id);
          v1::CancelScanResponse cancelled;
          server.scans().CancelScan(&other, request, &cancelled);
        }
      });
    }
  }
  const auto counts = server.jobs().Counts();
  ASSERT_THAT(counts, IsOk());
  EXPECT_EQ(counts->queued, 0);
  EXPECT_EQ(counts->cancelled, kScans);
}

TEST(GetWorkerInfo, SaysHowBusyTheWorkerIs) {
  TestServer server;
  Submit(server, "a");
  Submit(server, "b");
  server.Claim();
  server.server().StartDraining();
  Call call;
  v1::GetWorkerInfoResponse response;
  ASSERT_TRUE(server.worker().GetWorkerInfo(&call, {}, &response).ok());
  EXPECT_EQ(response.worker().version(), "test");
  EXPECT_EQ(response.worker().queued(), 1);
  EXPECT_EQ(response.worker().running(), 1);
  EXPECT_TRUE(response.worker().draining());
}

}  // namespace
}  // namespace glint
