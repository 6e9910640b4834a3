// SPDX-License-Identifier: Apache-2.0
// What callers without a token can do to a server: nothing that others notice.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/freed_memory.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "serve/raw_http2.h"
#include "serve/test_server.h"
#include "support/sanitized.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr const char* kSubmit = "/glint.v1.ScanService/SubmitScan";
constexpr const char* kWatchHealth = "/grpc.health.v1.Health/Watch";
constexpr const char* kCheckHealth = "/grpc.health.v1.Health/Check";

/// Resident memory of this process, which is server and attacker in one.
std::int64_t ResidentMegabytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  file >> pages >> pages;
  return pages * 4096 >> 20;
}

/// Looks at memory and at how long another client waits, while an attack goes on.
class Bystander {
 public:
  explicit Bystander(TestServer& server)
      : before_(ResidentMegabytes()), thread_([this, &server](const std::stop_token& stop) {
          while (!stop.stop_requested()) Look(server);
        }) {}

  /// @param megabytes  that the attack may cost at its height
  void ExpectUnharmed(std::int64_t megabytes) {
    thread_.request_stop();
    thread_.join();
    std::ranges::sort(waits_ms_);
    const double p99 = waits_ms_[waits_ms_.size() * 99 / 100];
    fmt::print("{} MB more at most; GetScan p99 {:.1f} ms of {}\n", most_ - before_, p99,
               waits_ms_.size());
    if (kThreadSanitized) return;  // calls have a deadline, which that exceeds
    EXPECT_EQ(failed_, 0);
    if (kSanitized) return;  // a sanitizer's memory and time are its own
    EXPECT_LT(most_ - before_, megabytes);
    EXPECT_LT(p99, 1'000);  // with two cores that the attacker needs, too
  }

 private:
  void Look(TestServer& server) {
    Call call(kToken);
    v1::GetScanRequest request;
    request.set_scan_id("a");
    v1::GetScanResponse response;
    const auto start = Clock::now();
    failed_ += server.scans().GetScan(&call, request, &response).ok() ? 0 : 1;
    waits_ms_.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    most_ = std::max(most_, ResidentMegabytes());
    std::this_thread::sleep_for(2ms);
  }

  const std::int64_t before_;
  std::int64_t most_ = 0;
  int failed_ = 0;
  std::vector<double> waits_ms_;
  std::jthread thread_;
};

class Strangers : public testing::Test {
 protected:
  static TestServerOptions Options() {
    TestServerOptions options{.tokens = kToken};
    options.server.request_time = 1s;
    options.server.handshake_time = 1s;
    options.server.connections.max_connections = 200;
    options.server.connections.max_per_address = 150;
    options.server.connections.strange_calls = 100;
    return options;
  }
  Strangers() : server_(Options()) {
    Call call(kToken);
    v1::SubmitScanResponse response;
    EXPECT_TRUE(server_.scans().SubmitScan(&call, SubmitRequest("a"), &response).ok());
  }
  int port() const { return server_.server().ports().front(); }

  mutable TestServer server_;
};

TEST_F(Strangers, PackedRequestsAreRefusedBeforeTheyAreUnpacked) {
  Call call(kToken);  // even with a token
  call.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  v1::SubmitScanRequest request = SubmitRequest("packed");
  request.mutable_options()->set_item_type(std::string(64 << 20, 'x'));
  v1::SubmitScanResponse response;
  Bystander bystander(server_);
  const auto status = server_.scans().SubmitScan(&call, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED) << status.error_message();
  bystander.ExpectUnharmed(200);  // three copies are the client's own
}

TEST_F(Strangers, StreamsThatAreResetAtOnceCostTheirConnection) {
  Bystander bystander(server_);
  for (int round = 0; round < 4; ++round) {
    RawHttp2 attacker(port());
    const auto end = Clock::now() + 5s;
    while (!attacker.closed() && Clock::now() < end) attacker.Reset(attacker.Open(kSubmit));
    EXPECT_TRUE(attacker.closed());
  }
  bystander.ExpectUnharmed(200);
}

TEST_F(Strangers, RequestsThatNeverEndAreNotRead) {
  Bystander bystander(server_);
  std::vector<std::unique_ptr<RawHttp2>> attackers;
  for (int i = 0; i < 12; ++i) {
    auto& attacker = *attackers.emplace_back(std::make_unique<RawHttp2>(port()));
    for (int call = 0; call < 50 && !attacker.closed(); ++call) {
      attacker.SendData(attacker.Open(kSubmit), std::string(16'000, 'x'), 1 << 20);
    }
  }
  std::this_thread::sleep_for(200ms);
  bystander.ExpectUnharmed(60);
}

TEST_F(Strangers, RequestsOfOpenMethodsMayNotTakeTheirTimeEither) {
  Bystander bystander(server_);
  RawHttp2 attacker(port());
  const std::uint32_t stream = attacker.Open(kCheckHealth);
  attacker.SendData(stream, "x", 1 << 30);
  std::this_thread::sleep_for(1'600ms);
  const auto health = grpc::health::v1::Health::NewStub(server_.Connect());
  Call call;
  grpc::health::v1::HealthCheckResponse response;
  EXPECT_TRUE(health->Check(&call, {}, &response).ok());
  bystander.ExpectUnharmed(20);
}

TEST_F(Strangers, FloodsOfHealthStreamsEndTheOldest) {
  Bystander bystander(server_);
  std::vector<std::unique_ptr<RawHttp2>> attackers;
  for (int i = 0; i < 40; ++i) {
    auto& attacker = *attackers.emplace_back(std::make_unique<RawHttp2>(port()));
    for (int call = 0; call < 100 && !attacker.closed(); ++call) {
      attacker.SendData(attacker.Open(kWatchHealth), "", 0);
    }
  }
  // What the server reads of them later is newer than the caller's: it may have to ask again.
  const auto health = grpc::health::v1::Health::NewStub(server_.Connect());
  const auto is_served = [&] {
    Call call;
    const auto watch = health->Watch(&call, {});
    grpc::health::v1::HealthCheckResponse response;
    const bool served = watch->Read(&response);
    call.TryCancel();
    return served;
  };
  int served = 0;  // in a row
  for (int attempt = 0; attempt < 40 && served < 5; ++attempt) {
    std::this_thread::sleep_for(kSanitized ? 2s : 300ms);
    served = is_served() ? served + 1 : 0;
  }
  EXPECT_EQ(served, 5) << "the newest is served";
  bystander.ExpectUnharmed(120);
}

TEST_F(Strangers, CallsOfAnAddressWithoutATokenAreCounted) {
  Bystander bystander(server_);
  RawHttp2 attacker(port(), false, "127.0.0.2");
  int calls = 0;
  for (; calls < 150 && !attacker.closed(); ++calls) {
    attacker.Open(kSubmit);
    std::this_thread::sleep_for(1ms);  // each is answered, and so none is unfinished
  }
  EXPECT_GE(calls, 100);
  EXPECT_TRUE(Eventually([&] { return attacker.closed(); }));
  RawHttp2 next(port(), false, "127.0.0.2");
  EXPECT_TRUE(Eventually([&] { return next.closed(); })) << "the address has to wait";
  RawHttp2 proxy(port());  // from where somebody has shown a token
  for (int call = 0; call < 150; ++call) {
    proxy.Open(kSubmit);
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_FALSE(proxy.closed());
  bystander.ExpectUnharmed(60);
}

TEST_F(Strangers, TextsThatAreNoneLeaveNothingOnStderr) {
  testing::internal::CaptureStderr();
  RawHttp2 attacker(port());
  for (int call = 0; call < 20; ++call) {
    attacker.SendData(attacker.Open(kCheckHealth), "\x0a\x01\xff", 3, false, true);
  }
  const auto health = grpc::health::v1::Health::NewStub(server_.Connect());
  Call call;
  grpc::health::v1::HealthCheckResponse response;
  EXPECT_TRUE(health->Check(&call, {}, &response).ok());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "whoever does not read it stops callers";
}

TEST_F(Strangers, SilentConnectionsMakeRoomForOthersAndAreDropped) {
  Bystander bystander(server_);
  std::vector<std::unique_ptr<RawHttp2>> mute;
  constexpr std::size_t kMany = FewerIfSanitized<std::size_t>(600, 200);
  mute.reserve(kMany);
  for (std::size_t i = 0; i < kMany; ++i) {
    mute.push_back(std::make_unique<RawHttp2>(port(), true));
  }
  EXPECT_LE(server_.server().connections(), 150U);
  const auto scans = v1::ScanService::NewStub(server_.Connect());
  Call call(kToken);
  v1::ListScansResponse response;
  const grpc::Status listed = scans->ListScans(&call, {}, &response);
  EXPECT_TRUE(listed.ok()) << "a new client gets in: " << listed.error_message();
  EXPECT_TRUE(Eventually([&] { return server_.server().connections() <= 3; }));
  bystander.ExpectUnharmed(60);
}

TEST_F(Strangers, AConnectionWithATokenIsNotClosedForOthers) {
  std::vector<std::unique_ptr<RawHttp2>> others;
  others.reserve(300);
  Call call(kToken);
  v1::WatchScanRequest request;
  request.set_scan_id("a");
  const auto watch = server_.scans().WatchScan(&call, request);
  v1::WatchScanResponse response;
  ASSERT_TRUE(watch->Read(&response));
  for (int i = 0; i < 300; ++i) others.push_back(std::make_unique<RawHttp2>(port()));
  const JobLease lease = server_.Claim();
  EXPECT_TRUE(watch->Read(&response)) << "its stream goes on";
  call.TryCancel();
}

}  // namespace
}  // namespace glint
