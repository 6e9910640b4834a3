// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/slot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "support/status_matchers.h"

namespace glint::sandbox {
namespace {

TEST(Slot, IsSharedAndKeepsItsSize) {
  Descriptor passed;
  const auto made = Slot::Make(100'000, passed);
  ASSERT_THAT(made, IsOk());
  ASSERT_EQ(made->bytes().size(), 100'000U);
  const auto mapped = Slot::Map(passed, 100'000);
  ASSERT_THAT(mapped, IsOk());
  mapped->bytes()[99'999] = 42;
  EXPECT_EQ(made->bytes()[99'999], 42);
  // What a hostile child could try with its descriptor.
  EXPECT_NE(ftruncate(passed.number(), 0), 0);
  EXPECT_NE(ftruncate(passed.number(), 200'000), 0);
  EXPECT_NE(fcntl(passed.number(), F_ADD_SEALS, F_SEAL_WRITE), 0);
  fallocate(passed.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 100'000);
  EXPECT_EQ(made->bytes()[99'999], 0);
}

TEST(Slot, IsRefusedWhereFilesMustBeSmall) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1'000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  Descriptor passed;
  EXPECT_THAT(Slot::Make(100'000, passed).status(),
              FailsWith(Reason::kOutOfMemory, testing::HasSubstr("limit on the size of files")));
  setrlimit(RLIMIT_FSIZE, &before);
}

}  // namespace
}  // namespace glint::sandbox
