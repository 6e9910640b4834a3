// SPDX-License-Identifier: Apache-2.0
#include "api/failure.h"

#include <absl/strings/cord.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StrEq;
using namespace std::chrono_literals;

TEST(Failure, EveryReasonCrossesTheWireWithCodeReasonAndMessage) {
  for (const FailureReason reason : FailureReasons()) {
    const ReasonInfo& info = Info(reason);
    const grpc::Status wire = ToGrpc(Error(reason, "what happened"));
    EXPECT_EQ(static_cast<int>(wire.error_code()), static_cast<int>(info.code)) << info.name;
    EXPECT_EQ(wire.error_message(), "what happened");
    google::rpc::Status details;
    ASSERT_TRUE(details.ParseFromString(wire.error_details()));
    EXPECT_EQ(details.code(), static_cast<int>(info.code));
    google::rpc::ErrorInfo error;
    ASSERT_TRUE(details.details(0).UnpackTo(&error)) << info.name;
    EXPECT_EQ(error.reason(), info.name);
    EXPECT_EQ(error.domain(), "glint.v1");
    EXPECT_THAT(FromGrpc(wire), FailsWith(reason, StrEq("what happened")));
  }
}

TEST(Failure, OkStaysOk) {
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
  EXPECT_THAT(FromGrpc(grpc::Status::OK), IsOk());
}

TEST(Failure, SaysWhenToTryAgainOnlyWhereThatHelps) {
  for (const FailureReason reason : FailureReasons()) {
    const auto delay = RetryDelayOf(ToGrpc(Error(reason, "x")));
    EXPECT_EQ(delay.has_value(), RuleOf(reason).retry_after.count() > 0) << Info(reason).name;
    EXPECT_TRUE(!delay || Info(reason).retryable) << Info(reason).name;
  }
  EXPECT_EQ(RetryDelayOf(ToGrpc(Error(ServiceReason::kQueueFull, "x"))), 5s);
}

TEST(Failure, CarriesEveryWrongField) {
  const absl::Status status =
      BadRequest({{"scan_id", "is empty"}, {"options.golden_gap", "is -1"}});
  EXPECT_THAT(status, FailsWith(Reason::kInvalidOption,
                                StrEq("scan_id: is empty; options.golden_gap: is -1")));
  const auto violations = ViolationsOf(ToGrpc(status));
  ASSERT_THAT(violations, SizeIs(2));
  EXPECT_EQ(violations[1].field, "options.golden_gap");
  EXPECT_EQ(violations[1].description, "is -1");
}

TEST(Failure, FitsIntoATrailerWhateverTheMessageHolds) {
  std::vector<FieldViolation> many;
  many.reserve(100);
  for (int i = 0; i < 100; ++i) many.push_back({"field", std::string(10'000, '\xC3')});
  const grpc::Status wire = ToGrpc(BadRequest(many));
  EXPECT_LT(wire.error_message().size() * 3 + wire.error_details().size() * 4 / 3, 8192U);
  EXPECT_THAT(FromGrpc(wire), FailsWith(Reason::kInvalidOption, HasSubstr("...")));
}

TEST(Failure, ForeignFailuresGetTheLikeliestReason) {
  using Code = grpc::StatusCode;
  const std::vector<std::pair<Code, FailureReason>> cases = {
      {Code::UNAVAILABLE, ServiceReason::kWorkerUnreachable},
      {Code::UNIMPLEMENTED, ServiceReason::kWorkerUnreachable},
      {Code::DEADLINE_EXCEEDED, Reason::kDeadlineExceeded},
      {Code::CANCELLED, Reason::kCancelled},
      {Code::UNAUTHENTICATED, ServiceReason::kUnauthenticated},
      {Code::RESOURCE_EXHAUSTED, ServiceReason::kOverloaded},
      {Code::UNKNOWN, Reason::kInternal},
  };
  for (const auto& [code, reason] : cases) {
    EXPECT_THAT(FromGrpc(grpc::Status(code, "text")), FailsWith(reason, StrEq("text")));
    EXPECT_THAT(FromGrpc(grpc::Status(code, "text", "no details \xFF")), FailsWith(reason, "text"));
  }
}

TEST(Failure, AReasonOfANewerWorkerKeepsTheCode) {
  google::rpc::Status details;
  google::rpc::ErrorInfo error;
  error.set_domain("glint.v1");
  error.set_reason("NOT_INVENTED_YET");
  details.add_details()->PackFrom(error);
  const grpc::Status wire(grpc::StatusCode::NOT_FOUND, "x", details.SerializeAsString());
  EXPECT_THAT(FromGrpc(wire), FailsWith(ServiceReason::kScanNotFound, "x"));
}

}  // namespace
}  // namespace glint
