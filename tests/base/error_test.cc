// SPDX-License-Identifier: Apache-2.0
#include "glint/error.h"

#include <gtest/gtest.h>

#include <set>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::StrEq;

TEST(Error, EveryReasonSurvivesTheStatus) {
  for (const ReasonInfo& info : Reasons()) {
    const absl::Status status = Error(info.reason, "what");
    EXPECT_EQ(status.code(), info.code) << info.name;
    EXPECT_THAT(In("where", status), FailsWith(info.reason, StrEq("where: what")));
  }
}

TEST(Error, NamesAreUniqueAndExitCodesAreNeverSuccess) {
  std::set<std::string_view> names;
  for (const ReasonInfo& info : Reasons()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_GT(info.exit_code, 0) << info.name;
  }
}

TEST(Error, AForeignStatusGetsTheReasonOfItsCode) {
  EXPECT_EQ(ReasonOf(absl::OkStatus()), std::nullopt);
  EXPECT_EQ(ReasonOf(absl::CancelledError("x")), Reason::kCancelled);
  EXPECT_EQ(ReasonOf(absl::OutOfRangeError("x")), Reason::kInternal);
  EXPECT_TRUE(In("where", absl::OkStatus()).ok());
}

}  // namespace
}  // namespace glint
