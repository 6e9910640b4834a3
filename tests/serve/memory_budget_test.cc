// SPDX-License-Identifier: Apache-2.0
#include "serve/memory_budget.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace glint {
namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

class MemoryBudget : public testing::Test {
 protected:
  void SetUp() override {
    folder_.Write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1\n");
  }
  std::int64_t Limit() const { return MemoryLimit(folder_.path()); }

  const TempFolder folder_;
};

TEST_F(MemoryBudget, IsTheMachinesWhereNoGroupHasALimit) {
  EXPECT_EQ(Limit(), 16 * kGiB);
  folder_.Write("proc/self/cgroup", "0::/a\n");
  folder_.Write("sys/fs/cgroup/a/memory.max", "max\n");
  EXPECT_EQ(Limit(), 16 * kGiB);
}

TEST_F(MemoryBudget, IsTheLeastOfAGroupAndThoseAboveIt) {
  folder_.Write("proc/self/cgroup", "0::/system.slice/glint.service\n");
  folder_.Write("sys/fs/cgroup/system.slice/glint.service/memory.max", "8589934592\n");
  EXPECT_EQ(Limit(), 8 * kGiB);
  folder_.Write("sys/fs/cgroup/system.slice/memory.max", "4294967296\n");
  EXPECT_EQ(Limit(), 4 * kGiB);
}

TEST_F(MemoryBudget, IsThatOfAContainer) {
  folder_.Write("proc/self/cgroup", "0::/\n");
  folder_.Write("sys/fs/cgroup/memory.max", "2147483648\n");
  EXPECT_EQ(Limit(), 2 * kGiB);
}

TEST_F(MemoryBudget, OfTheFirstVersionIsReadToo) {
  folder_.Write("proc/self/cgroup", "9:name=systemd:/x\n4:memory:/docker/1\n");
  folder_.Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  folder_.Write("sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes", "1073741824\n");
  EXPECT_EQ(Limit(), kGiB);
}

TEST_F(MemoryBudget, IsTheLeastOfBothVersionsWhereAMachineHasBoth) {
  folder_.Write("proc/self/cgroup", "12:cpu,cpuacct:/a\n5:memory:/a\n1:name=systemd:/a\n0::/a/b\n");
  folder_.Write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2147483648\n");
  EXPECT_EQ(Limit(), 2 * kGiB);
  folder_.Write("sys/fs/cgroup/a/memory.max", "max\n");
  folder_.Write("sys/fs/cgroup/a/b/memory.max", "1073741824\n");
  EXPECT_EQ(Limit(), kGiB);
}

TEST_F(MemoryBudget, IsNotMisledByWhatIsNoLimit) {
  for (const char* text : {"", "max", "0\n", "-1\n", "much\n", "99999999999999999999999\n"}) {
    folder_.Write("proc/self/cgroup", "0::/a\nno line of a group\n:\n");
    folder_.Write("sys/fs/cgroup/a/memory.max", text);
    EXPECT_EQ(Limit(), 16 * kGiB) << text;
  }
  folder_.Write("proc/self/cgroup", "0::/../outside\n");  // of a namespace that hides the group
  EXPECT_EQ(Limit(), 16 * kGiB);
}

TEST_F(MemoryBudget, IsUnknownWhereNothingSaysIt) {
  folder_.Write("proc/meminfo", "");
  EXPECT_EQ(Limit(), 0);
}

TEST(ScanShare, IsWhatTheServiceLeavesToEachScan) {
  EXPECT_EQ(ScanShare(kGiB, 1), kGiB - (std::int64_t{128} << 20));
  EXPECT_EQ(ScanShare(kGiB, 2), ScanShare(kGiB, 1) / 2);
  EXPECT_EQ(ScanShare(1, 8), 1);
}

TEST(PixelsWithin, LetPhonesFilmInAGibibyteAndOneScanAtATime) {
  EXPECT_GT(PixelsWithin(kGiB, 1), 1920 * 1080);
  EXPECT_GT(PixelsWithin(4 * kGiB, 1), 3840 * 2160);
  EXPECT_LT(PixelsWithin(4 * kGiB, 2), 3840 * 2160);
  EXPECT_GT(PixelsWithin(24 * kGiB, 2), 8192 * 4320);
  EXPECT_EQ(PixelsWithin(1, 8), 1);
}

}  // namespace
}  // namespace glint
