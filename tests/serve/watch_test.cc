// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "api/failure.h"
#include "api/result.h"
#include "serve/test_server.h"
#include "serve/watch_feed.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using namespace std::chrono_literals;

/// A stream of one scan's events.
class Watched {
 public:
  Watched(v1::ScanService::Stub& scans, const std::string& id, std::int64_t after_seq = 0) {
    v1::WatchScanRequest request;
    request.set_scan_id(id);
    request.set_after_seq(after_seq);
    stream_ = scans.WatchScan(&call_, request);
  }

  /// The next message; nothing at the end.
  std::optional<v1::WatchScanResponse> Next() {
    v1::WatchScanResponse message;
    if (!stream_->Read(&message)) return std::nullopt;
    return message;
  }
  /// The next message that is no snapshot.
  std::optional<v1::WatchScanResponse> NextEvent() {
    auto message = Next();
    while (message && message->snapshot()) message = Next();
    return message;
  }
  /// Numbers of the events up to the end.
  std::vector<std::int64_t> RestOfSeqs() {
    std::vector<std::int64_t> seqs;
    while (const auto message = NextEvent()) seqs.push_back(message->event().seq());
    return seqs;
  }
  absl::Status Finish() { return FromGrpc(stream_->Finish()); }
  grpc::Status FinishRaw() { return stream_->Finish(); }
  void Cancel() { call_.TryCancel(); }

 private:
  Call call_;
  std::unique_ptr<grpc::ClientReader<v1::WatchScanResponse>> stream_;
};

/// Reports `count` events of a running job.
void Report(TestServer& server, const JobLease& lease, int count, int from = 0) {
  for (int i = 0; i < count; ++i) {
    ASSERT_THAT(server.jobs().Record(lease, {.step = ScanStep::kMeasuring,
                                             .fraction = 0.0001 * (from + i),
                                             .frames = from + i}),
                IsOk());
  }
}

std::string SomeResult() {
  ScanReport report;
  report.damaged_percent = 2;
  const std::vector<StoredObject> objects = {{"mask.png", "image/png", 10}};
  return EncodeResult(report, 1, "a", objects);
}

TEST(WatchScan, GivesASnapshotThenEveryEventThenTheEnd) {
  TestServer server;
  Submit(server, "a");
  Watched watched(server.scans(), "a");
  const auto snapshot = watched.Next();
  ASSERT_TRUE(snapshot.has_value());
  EXPECT_TRUE(snapshot->snapshot());
  EXPECT_EQ(snapshot->event().scan().state(), v1::SCAN_STATE_QUEUED);
  const JobLease lease = server.Claim();
  Report(server, lease, 3);
  ASSERT_THAT(server.jobs().Complete(lease, SomeResult()), IsOk());
  std::int64_t seq = 0;
  v1::Scan last;
  while (const auto message = watched.NextEvent()) {
    EXPECT_EQ(message->event().seq(), ++seq) << "no event is left out or comes twice";
    EXPECT_GT(message->event().time().seconds(), 0);
    last = message->event().scan();
  }
  EXPECT_THAT(watched.Finish(), IsOk());
  EXPECT_EQ(last.state(), v1::SCAN_STATE_SUCCEEDED);
  EXPECT_EQ(last.result().summary().damaged_percent(), 2);
  EXPECT_EQ(seq, server.jobs().Get("a")->last_seq);
}

TEST(WatchScan, HasTheFinalEventOfAScanThatEndsBetweenTwoReads) {
  TestServer server;
  Submit(server, "a");
  const JobLease lease = server.Claim();
  const auto update = [&](std::optional<std::int64_t> after_seq) {
    return ReadUpdate(server.jobs(), "a", after_seq, {});
  };
  WatchFeed feed;
  feed.Add(*update(std::nullopt));
  // The job is read after its events, and knows of an end that they do not have yet.
  server.jobs().SetAfterEvents(
      [&] { EXPECT_THAT(server.jobs().Complete(lease, SomeResult()), IsOk()); });
  feed.Add(*update(feed.last_seq()));
  FeedCursor cursor;
  SharedEvent last;
  FeedAction action = feed.Next(cursor);
  for (; action.kind == FeedAction::Kind::kSend; action = feed.Next(cursor)) last = action.event;
  EXPECT_EQ(action.kind, FeedAction::Kind::kEnd);
  EXPECT_EQ(last->seq(), server.jobs().Get("a")->last_seq);
  EXPECT_EQ(last->scan().state(), v1::SCAN_STATE_SUCCEEDED);
  EXPECT_EQ(last->scan().result().summary().damaged_percent(), 2);
}

TEST(WatchScan, AStreamEndsWithTheFinalEventWhenItComesBetweenTwoReads) {
  for (int round = 0; round < 20; ++round) {
    TestServer server;
    Submit(server, "a");
    const JobLease lease = server.Claim();
    Watched watched(server.scans(), "a");
    ASSERT_TRUE(watched.Next().has_value());
    while (watched.NextEvent()->event().scan().state() != v1::SCAN_STATE_RUNNING) {
    }
    server.jobs().SetAfterEvents(
        [&] { EXPECT_THAT(server.jobs().Complete(lease, SomeResult()), IsOk()); });
    Report(server, lease, 1);
    std::optional<v1::WatchScanResponse> last;
    while (auto message = watched.NextEvent()) last = std::move(message);
    ASSERT_TRUE(last.has_value());
    EXPECT_EQ(last->event().scan().state(), v1::SCAN_STATE_SUCCEEDED);
    EXPECT_THAT(watched.Finish(), IsOk());
  }
}

TEST(WatchScan, ResumesAfterAnyEventWithoutLossOrRepetition) {
  TestServer server;
  Submit(server, "a");
  const JobLease lease = server.Claim();
  Report(server, lease, 300);  // more than a feed keeps in memory
  ASSERT_THAT(server.jobs().Fail(lease, {Reason::kCorruptVideo, "bad"}), IsOk());
  const std::int64_t last = server.jobs().Get("a")->last_seq;
  ASSERT_GT(last, 300);
  for (const std::int64_t after : {std::int64_t{0}, std::int64_t{1}, std::int64_t{63},
                                   std::int64_t{200}, last - 1, last, last + 5}) {
    Watched watched(server.scans(), "a", after);
    const auto snapshot = watched.Next();
    ASSERT_TRUE(snapshot.has_value());
    EXPECT_TRUE(snapshot->snapshot());
    EXPECT_EQ(snapshot->event().scan().error().reason(), "CORRUPT_VIDEO");
    std::vector<std::int64_t> wanted;
    for (std::int64_t seq = after + 1; seq <= last; ++seq) wanted.push_back(seq);
    EXPECT_EQ(watched.RestOfSeqs(), wanted) << "after " << after;
    EXPECT_THAT(watched.Finish(), IsOk());
  }
}

TEST(WatchScan, UnknownScansAndBadRequestsFail) {
  TestServer server;
  Watched unknown(server.scans(), "unknown");
  EXPECT_FALSE(unknown.Next().has_value());
  EXPECT_THAT(unknown.Finish(), FailsWith(ServiceReason::kScanNotFound, testing::_));
  Watched hostile(server.scans(), "../x");
  EXPECT_THAT(hostile.Finish(), FailsWith(Reason::kInvalidOption, testing::_));
  Watched negative(server.scans(), "a", -1);
  EXPECT_THAT(negative.Finish(),
              FailsWith(Reason::kInvalidOption, testing::HasSubstr("after_seq")));
  EXPECT_EQ(server.server().streams(), 0U);
}

TEST(WatchScan, TellsWaitingScansTheirPlaceInTheQueue) {
  TestServer server;
  Submit(server, "first");
  Submit(server, "second");
  Watched watched(server.scans(), "second");
  EXPECT_EQ(watched.Next()->event().scan().progress().queue_position(), 1);
  ASSERT_THAT(server.jobs().Cancel("first"), IsOk());
  auto message = watched.Next();
  while (message && !message->snapshot()) message = watched.Next();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->event().scan().progress().queue_position(), 0);
  watched.Cancel();
}

TEST(WatchScan, TwoHundredStreamsOfOneScanGetEveryEventWithoutThreadsOfTheirOwn) {
  TestServer server;
  Submit(server, "a");
  constexpr int kStreams = 200;
  std::vector<std::unique_ptr<Watched>> streams;
  Watched first(server.scans(), "a");
  ASSERT_TRUE(first.Next().has_value());
  const int threads = ThreadsOfProcess();
  for (int i = 0; i < kStreams; ++i) {
    streams.push_back(std::make_unique<Watched>(server.scans(), "a"));
    ASSERT_TRUE(streams.back()->Next()->snapshot());
  }
  // A few of gRPC's own may come; a thread per stream would be 200.
  EXPECT_LT(ThreadsOfProcess() - threads, 20);
  EXPECT_EQ(server.server().streams(), kStreams + 1U);

  const JobLease lease = server.Claim();
  Report(server, lease, 20);
  ASSERT_THAT(server.jobs().Complete(lease, SomeResult()), IsOk());
  const std::int64_t last = server.jobs().Get("a")->last_seq;
  for (const auto& stream : streams) {
    EXPECT_EQ(std::ssize(stream->RestOfSeqs()), last);
    EXPECT_THAT(stream->Finish(), IsOk());
  }
  first.RestOfSeqs();
  EXPECT_TRUE(Eventually([&] { return server.server().streams() == 0; }));
}

TEST(WatchScan, OneReadOfTheStoreServesAllStreams) {
  TestServer server;
  std::atomic<int> reads = 0;
  Submit(server, "a");
  const JobLease lease = server.Claim();
  std::vector<std::unique_ptr<Watched>> streams;
  streams.reserve(100);
  for (int i = 0; i < 100; ++i) {
    streams.push_back(std::make_unique<Watched>(server.scans(), "a"));
    ASSERT_TRUE(streams.back()->Next().has_value());
  }
  for (const auto& stream : streams) {
    ASSERT_EQ(stream->NextEvent()->event().seq(), 1);
    ASSERT_EQ(stream->NextEvent()->event().seq(), 2);
  }
  server.jobs().SetFault([&] {
    ++reads;
    return absl::OkStatus();
  });
  Report(server, lease, 1);
  for (const auto& stream : streams) ASSERT_EQ(stream->NextEvent()->event().seq(), 3);
  server.jobs().SetFault(nullptr);
  EXPECT_LE(reads, 6) << "one reading is two calls; a stream each would be 200";
  for (const auto& stream : streams) stream->Cancel();
}

TEST(WatchScan, ASlowClientKeepsNobodyWaiting) {
  TestServer server;
  Submit(server, "a");
  const JobLease lease = server.Claim();
  // A connection of its own with a small window: what it does not read soon stops the stream.
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  const auto slow_stub = v1::ScanService::NewStub(
      grpc::CreateCustomChannel(server.address(), grpc::InsecureChannelCredentials(), arguments));
  Watched slow(*slow_stub, "a");
  Watched fast(server.scans(), "a");
  Report(server, lease, 1500);
  ASSERT_THAT(server.jobs().Complete(lease, SomeResult()), IsOk());
  const std::int64_t last = server.jobs().Get("a")->last_seq;
  EXPECT_EQ(std::ssize(fast.RestOfSeqs()), last);
  EXPECT_THAT(fast.Finish(), IsOk());
  EXPECT_EQ(server.server().streams(), 1U) << "the slow one has not ended yet";
  EXPECT_EQ(std::ssize(slow.RestOfSeqs()), last) << "and misses nothing";
  EXPECT_THAT(slow.Finish(), IsOk());
}

TEST(WatchScan, ClientsThatLeaveFreeTheirStreams) {
  TestServer server;
  Submit(server, "a");
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Watched>> streams;
    streams.reserve(50);
    for (int i = 0; i < 50; ++i) {
      streams.push_back(std::make_unique<Watched>(server.scans(), "a"));
      if (i % 2 == 0) streams.back()->Next();  // others leave before they heard anything
    }
    for (const auto& stream : streams) stream->Cancel();
    streams.clear();
    EXPECT_TRUE(Eventually([&] { return server.server().streams() == 0; }));
  }
}

TEST(WatchScan, ADeadlineEndsTheStreamAndNotTheScan) {
  TestServer server;
  Submit(server, "a");
  grpc::ClientContext call;
  call.set_deadline(std::chrono::system_clock::now() + 200ms);
  v1::WatchScanRequest request;
  request.set_scan_id("a");
  const auto stream = server.scans().WatchScan(&call, request);
  v1::WatchScanResponse message;
  while (stream->Read(&message)) {
  }
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_TRUE(Eventually([&] { return server.server().streams() == 0; }));
  EXPECT_EQ(server.jobs().Get("a")->state, JobState::kQueued);
}

TEST(WatchScan, TooManyStreamsAreRefused) {
  TestServer server({.server = {.max_streams = 2}});
  Submit(server, "a");
  Watched one(server.scans(), "a");
  Watched two(server.scans(), "a");
  ASSERT_TRUE(one.Next() && two.Next());
  Watched three(server.scans(), "a");
  const grpc::Status status = three.FinishRaw();
  EXPECT_THAT(FromGrpc(status), FailsWith(ServiceReason::kOverloaded, testing::_));
  EXPECT_TRUE(RetryDelayOf(status).has_value());
  one.Cancel();
  EXPECT_TRUE(Eventually([&] { return server.server().streams() == 1; }));
  Watched four(server.scans(), "a");
  EXPECT_TRUE(four.Next().has_value());
  two.Cancel();
  four.Cancel();
}

TEST(WatchScan, AJobStoreThatFailsEndsTheStreamWithAReasonToTryAgain) {
  TestServer server;
  Submit(server, "a");
  Watched watched(server.scans(), "a");
  ASSERT_TRUE(watched.Next().has_value());
  server.jobs().SetFault([] { return Error(ServiceReason::kJobStoreUnavailable, "locked"); });
  server.Claim();
  watched.RestOfSeqs();
  EXPECT_THAT(watched.Finish(), FailsWith(ServiceReason::kJobStoreUnavailable, "locked"));
  server.jobs().SetFault(nullptr);
}

TEST(WatchScan, AStoppingServerEndsStreamsWithDraining) {
  TestServer server;
  Submit(server, "a");
  Watched watched(server.scans(), "a");
  ASSERT_TRUE(watched.Next().has_value());
  server.server().StartDraining();
  const JobLease lease = server.Claim();
  while (watched.NextEvent()->event().scan().state() != v1::SCAN_STATE_RUNNING) {
  }
  Report(server, lease, 1);
  EXPECT_TRUE(watched.NextEvent().has_value()) << "a draining server still streams";
  std::jthread stopping([&] { server.server().Stop(5000ms); });
  watched.RestOfSeqs();
  const grpc::Status status = watched.FinishRaw();
  EXPECT_THAT(FromGrpc(status), FailsWith(ServiceReason::kDraining, testing::_));
  EXPECT_TRUE(RetryDelayOf(status).has_value());
}

/// A RunScan call.
class Running {
 public:
  Running(TestServer& server, const std::string& id, bool cancel_on_disconnect) {
    v1::RunScanRequest request;
    *request.mutable_submit() = SubmitRequest(id);
    request.set_cancel_on_disconnect(cancel_on_disconnect);
    stream_ = server.scans().RunScan(&call_, request);
  }
  std::optional<v1::RunScanResponse> Next() {
    v1::RunScanResponse message;
    if (!stream_->Read(&message)) return std::nullopt;
    return message;
  }
  absl::Status Finish() { return FromGrpc(stream_->Finish()); }
  void Cancel() { call_.TryCancel(); }

 private:
  Call call_;
  std::unique_ptr<grpc::ClientReader<v1::RunScanResponse>> stream_;
};

TEST(RunScan, SubmitsAndStreamsToTheEnd) {
  TestServer server;
  Running running(server, "a", false);
  EXPECT_TRUE(running.Next()->snapshot());
  ASSERT_THAT(server.jobs().Complete(server.Claim(), SomeResult()), IsOk());
  v1::Scan last;
  while (const auto message = running.Next()) last = message->event().scan();
  EXPECT_THAT(running.Finish(), IsOk());
  EXPECT_EQ(last.state(), v1::SCAN_STATE_SUCCEEDED);
}

TEST(RunScan, CancelsWithItsCallerOnlyWhenAsked) {
  TestServer server;
  Running stays(server, "stays", false);
  Running goes(server, "goes", true);
  ASSERT_TRUE(stays.Next() && goes.Next());
  stays.Cancel();
  goes.Cancel();
  EXPECT_TRUE(Eventually([&] { return server.jobs().Get("goes")->state == JobState::kCancelled; }));
  EXPECT_TRUE(Eventually([&] { return server.server().streams() == 0; }));
  EXPECT_EQ(server.jobs().Get("stays")->state, JobState::kQueued);
}

TEST(RunScan, AStoppingServerCancelsNothing) {
  TestServer server;
  Running running(server, "a", true);
  ASSERT_TRUE(running.Next().has_value());
  server.server().Stop(5000ms);
  while (running.Next()) {
  }
  EXPECT_THAT(running.Finish(), FailsWith(ServiceReason::kDraining, testing::_));
  EXPECT_EQ(server.jobs().Get("a")->state, JobState::kQueued);
}

TEST(RunScan, FailsAsSubmitDoes) {
  TestServer server({.jobs = {.queue_capacity = 1}});
  Running bad(server, "../x", true);
  EXPECT_THAT(bad.Finish(), FailsWith(Reason::kInvalidOption, testing::HasSubstr("scan_id")));
  Submit(server, "a");
  Running full(server, "b", true);
  EXPECT_THAT(full.Finish(), FailsWith(ServiceReason::kQueueFull, testing::_));
}

}  // namespace
}  // namespace glint
