// SPDX-License-Identifier: Apache-2.0
#include "support/usage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace glint {
namespace {

Usage Mean(const std::vector<Usage>& looks, int from, int to) {
  Usage sum;
  int count = 0;
  for (const Usage& look : looks) {
    if (look.scans_ended < from || look.scans_ended >= to) continue;
    sum.resident_bytes += look.resident_bytes;
    sum.open_files += look.open_files;
    ++count;
  }
  EXPECT_GE(count, 10) << from << " to " << to;
  fmt::print("scans {}-{}: {:.0f} KiB resident, {:.1f} open files\n", from, to,
             sum.resident_bytes / 1024 / count, sum.open_files / count);
  return {.resident_bytes = sum.resident_bytes / count, .open_files = sum.open_files / count};
}

}  // namespace

void ExpectNoGrowth(const std::vector<Usage>& looks, int scans) {
  const Usage early = Mean(looks, 20, 60);
  const Usage late = Mean(looks, scans - 40, scans);
  EXPECT_LE(late.resident_bytes, early.resident_bytes * 1.05);
  EXPECT_LE(late.open_files, early.open_files * 1.05);
}

}  // namespace glint
