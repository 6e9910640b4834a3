// SPDX-License-Identifier: Apache-2.0
#include "support/usage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace glint {
namespace {

/// 5 % of what such a worker took when it still held the decoder: 12 KB a scan over 240 scans.
constexpr double kMaxGrowthBytes = 2.9e6;

Usage Least(const std::vector<Usage>& looks) {
  Usage least = looks.front();
  for (const Usage& look : looks) {
    least.resident_bytes = std::min(least.resident_bytes, look.resident_bytes);
    least.open_files = std::min(least.open_files, look.open_files);
  }
  fmt::print("after {:.0f} scans: {:.0f} KiB resident, {:.0f} open files\n",
             looks.front().scans_ended, least.resident_bytes / 1024, least.open_files);
  return least;
}

}  // namespace

void ExpectNoGrowth(const std::vector<Usage>& early, const std::vector<Usage>& late) {
  ASSERT_FALSE(early.empty());
  ASSERT_FALSE(late.empty());
  const Usage before = Least(early);
  const Usage after = Least(late);
  EXPECT_GT(late.front().scans_ended, early.front().scans_ended);
  EXPECT_LE(after.resident_bytes, before.resident_bytes + kMaxGrowthBytes);
  EXPECT_LE(after.open_files, before.open_files);
}

}  // namespace glint
