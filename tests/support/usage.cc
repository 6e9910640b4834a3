// SPDX-License-Identifier: Apache-2.0
#include "support/usage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace glint {
namespace {

/// The least memory and open files between two moments. What a scan or the allocator holds for a
/// while comes and goes with the machine's load; what leaks is in the least, too.
Usage Least(const std::vector<Usage>& looks, int from, int to) {
  constexpr double kNone = std::numeric_limits<double>::max();
  Usage least{.resident_bytes = kNone, .open_files = kNone};
  int count = 0;
  for (const Usage& look : looks) {
    if (look.scans_ended < from || look.scans_ended >= to) continue;
    least.resident_bytes = std::min(least.resident_bytes, look.resident_bytes);
    least.open_files = std::min(least.open_files, look.open_files);
    ++count;
  }
  EXPECT_GE(count, 10) << from << " to " << to;
  fmt::print("scans {}-{}: {:.0f} KiB resident, {:.0f} open files\n", from, to,
             least.resident_bytes / 1024, least.open_files);
  return least;
}

// What the allocator keeps for busy threads differs by 2 MB with the machine's load, and
// descriptors that are about to be closed by two. 260 scans may not add more than little over that:
// 12 KB a scan, or a descriptor in 80 scans, are found.
constexpr double kMaxGrowthBytes = 3.1e6;
constexpr double kMaxMoreFiles = 3;

}  // namespace

void ExpectNoGrowth(const std::vector<Usage>& looks, int scans) {
  const Usage early = Least(looks, 200, 240);
  const Usage late = Least(looks, scans - 40, scans);
  EXPECT_LE(late.resident_bytes, early.resident_bytes + kMaxGrowthBytes);
  EXPECT_LE(late.open_files, early.open_files + kMaxMoreFiles);
}

}  // namespace glint
