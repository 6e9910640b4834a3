// SPDX-License-Identifier: Apache-2.0
// The fault-injecting store itself: other tests rely on its failing where it says.
#include <gtest/gtest.h>

#include "store/store_test_support.h"
#include "support/memory_store.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::_;

TEST(FaultyStore, FailsWhereItIsToldToAndOnlyThere) {
  const absl::Status full = Error(Reason::kDiskFull, "full");
  MemoryStore memory;
  EXPECT_THAT(FaultyStore(memory, {.begin = full}).Begin("a", CancelToken()),
              FailsWith(Reason::kDiskFull, _));

  FaultyStore one_name(memory, {.put = full, .put_name = "mask.png"});
  const auto set = one_name.Begin("a", CancelToken());
  ASSERT_THAT(set, IsOk());
  EXPECT_THAT(PutText(**set, "report.json", "{}"), IsOk());
  EXPECT_THAT(PutText(**set, "mask.png", "x"), FailsWith(Reason::kDiskFull, _));

  FaultyStore at_commit(memory, {.commit = full});
  const auto late = at_commit.Begin("a", CancelToken());
  ASSERT_THAT(late, IsOk());
  EXPECT_THAT(PutText(**late, "report.json", "{}"), IsOk());
  EXPECT_THAT((*late)->Commit(), FailsWith(Reason::kDiskFull, _));
  EXPECT_TRUE(memory.sets().empty());
}

}  // namespace
}  // namespace glint
