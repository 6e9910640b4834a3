// SPDX-License-Identifier: Apache-2.0
#include "jobs/failure_reason.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace glint {
namespace {

TEST(FailureReason, EveryReasonOfTheServiceHasTheLineOfItsName) {
  const std::map<ServiceReason, std::string_view> names = {
      {ServiceReason::kUnauthenticated, "UNAUTHENTICATED"},
      {ServiceReason::kScanNotFound, "SCAN_NOT_FOUND"},
      {ServiceReason::kScanConflict, "SCAN_CONFLICT"},
      {ServiceReason::kQueueFull, "QUEUE_FULL"},
      {ServiceReason::kDraining, "DRAINING"},
      {ServiceReason::kWorkerDied, "WORKER_DIED"},
      {ServiceReason::kClaimLost, "CLAIM_LOST"},
      {ServiceReason::kJobStoreUnavailable, "JOB_STORE_UNAVAILABLE"},
      {ServiceReason::kOverloaded, "OVERLOADED"},
      {ServiceReason::kWorkerUnreachable, "WORKER_UNREACHABLE"},
      {ServiceReason::kDecoderUnavailable, "DECODER_UNAVAILABLE"},
      {ServiceReason::kNotPermitted, "NOT_PERMITTED"},
      {ServiceReason::kQuotaExceeded, "QUOTA_EXCEEDED"},
  };
  EXPECT_EQ(names.size() + Reasons().size(), FailureReasons().size());
  for (const auto& [reason, name] : names) EXPECT_EQ(Info(reason).name, name);
}

TEST(FailureReason, EveryReasonIsFoundByItsNameAndInItsStatus) {
  std::set<std::string_view> names;
  for (const FailureReason reason : FailureReasons()) {
    const ReasonInfo& info = Info(reason);
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_GT(info.exit_code, 0) << info.name;
    EXPECT_EQ(FailureReasonNamed(info.name), reason);
    EXPECT_EQ(FailureReasonOf(In("where", Error(reason, "x"))), reason) << info.name;
  }
  EXPECT_EQ(FailureReasonNamed("NOT_INVENTED_YET"), std::nullopt);
}

TEST(FailureReason, AForeignStatusGetsTheReasonOfItsCode) {
  EXPECT_EQ(FailureReasonOf(absl::OkStatus()), std::nullopt);
  EXPECT_EQ(FailureReasonOf(absl::NotFoundError("x")), Reason::kInputNotFound);
  EXPECT_EQ(FailureReasonOf(absl::AlreadyExistsError("x")), ServiceReason::kScanConflict);
  EXPECT_EQ(FailureReasonOf(absl::OutOfRangeError("x")), Reason::kInternal);
}

}  // namespace
}  // namespace glint
