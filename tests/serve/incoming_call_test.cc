// SPDX-License-Identifier: Apache-2.0
// A call is written to, read from and ended by threads that know nothing of each other. gRPC ends
// the process when one of them comes too late.
#include "serve/incoming_call.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <barrier>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "grpc/health/v1/health.grpc.pb.h"

namespace glint {
namespace {

using grpc::health::v1::Health;
using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

constexpr int kCalls = 2'000;

using Doing = std::function<void(IncomingCall&)>;

/// Does two things at once to every call whose request has come.
class Racing final : public grpc::CallbackGenericService {
 public:
  Racing(Doing one, Doing other) : one_(std::move(one)), other_(std::move(other)) {}

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    const auto call =
        IncomingCall::Make({.method = "Watch", .peer = context->peer()}, observe_, nullptr);
    call->ReadRequest([this](const std::shared_ptr<IncomingCall>& read, auto* /*request*/) {
      std::barrier at_once(2);
      std::jthread other([&] {
        at_once.arrive_and_wait();
        other_(*read);
      });
      at_once.arrive_and_wait();
      one_(*read);
    });
    return call.get();
  }

  const CallObserver observe_;
  const Doing one_;
  const Doing other_;
};

/// Makes calls to which both happen; each has to end, and nothing else.
void Race(Doing one, Doing other) {
  Racing service(std::move(one), std::move(other));
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterCallbackGenericService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  const auto stub = Health::NewStub(
      grpc::CreateChannel("127.0.0.1:" + std::to_string(port), grpc::InsecureChannelCredentials()));
  for (int i = 0; i < kCalls; ++i) {
    grpc::ClientContext context;
    const auto stream = stub->Watch(&context, HealthCheckRequest());
    HealthCheckResponse response;
    while (stream->Read(&response)) {
      EXPECT_EQ(response.status(), HealthCheckResponse::SERVING);
    }
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::ABORTED);
  }
}

void Write(IncomingCall& call) {
  HealthCheckResponse response;
  response.set_status(HealthCheckResponse::SERVING);
  call.Write(response);
}

void Read(IncomingCall& call) {
  call.ReadRequest([](const auto& /*call*/, auto* /*request*/) {});
}

void End(IncomingCall& call) {
  call.End(grpc::Status(grpc::StatusCode::ABORTED, "somebody ended it"));
}

TEST(IncomingCall, MayBeEndedWhileItIsWrittenTo) { Race(Write, End); }

TEST(IncomingCall, MayBeEndedWhileItIsRead) { Race(Read, End); }

TEST(IncomingCall, MayBeEndedByTwo) { Race(End, End); }

}  // namespace
}  // namespace glint
