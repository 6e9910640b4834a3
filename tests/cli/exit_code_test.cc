// SPDX-License-Identifier: Apache-2.0
#include "cli/exit_code.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "jobs/failure_reason.h"

namespace glint {
namespace {

TEST(ExitCode, FollowsTheTable) {
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), 0);
  for (const FailureReason reason : FailureReasons()) {
    const ReasonInfo& info = Info(reason);
    EXPECT_EQ(ExitCodeOf(Error(reason, "x")), info.exit_code) << info.name;
    EXPECT_THAT(ExitCodeTable(), testing::HasSubstr(std::string(info.name)));
  }
  EXPECT_EQ(kExitUsage, Info(Reason::kInvalidOption).exit_code);
  EXPECT_EQ(kExitCancelled, Info(Reason::kCancelled).exit_code);
}

TEST(ExitCode, TheWorstOfABatchDoesNotDependOnTheOrder) {
  struct Case {
    int a, b, worse;
  };
  for (const Case& c : {Case{0, 0, 0}, Case{0, 3, 3}, Case{3, 6, 6}, Case{1, 7, 1},
                        Case{130, 1, 130}, Case{8, 1, 1}}) {
    EXPECT_EQ(Worse(c.a, c.b), c.worse);
    EXPECT_EQ(Worse(c.b, c.a), c.worse);
  }
}

}  // namespace
}  // namespace glint
