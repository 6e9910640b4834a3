// SPDX-License-Identifier: Apache-2.0
#include "base/large_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

namespace glint {
namespace {

class SizedMemory : public testing::TestWithParam<std::size_t> {};

TEST_P(SizedMemory, IsZeroAlignedAndWritableToItsEnd) {
  const std::size_t bytes = GetParam();
  LargeMemory memory(bytes);
  std::byte* data = memory.data();
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U);
  EXPECT_TRUE(std::all_of(data, data + bytes, [](std::byte b) { return b == std::byte{0}; }));
  std::fill_n(data, bytes, std::byte{0xA5});
  LargeMemory moved = std::move(memory);
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(data[bytes - 1], std::byte{0xA5});
  moved = LargeMemory(bytes);  // the old one is unmapped, or freed, as a whole
  EXPECT_EQ(moved.data()[bytes - 1], std::byte{0});
}

constexpr std::size_t kMiB = std::size_t{1} << 20;

// On either side of what comes from the heap, of whole pages and of whole huge pages.
INSTANTIATE_TEST_SUITE_P(Sizes, SizedMemory,
                         testing::Values(1, 4096, kMiB - 1, kMiB, kMiB + 1, 2 * kMiB - 1, 2 * kMiB,
                                         2 * kMiB + 1, 9 * kMiB + 12345));

TEST(LargeMemory, IsEmptyAtFirst) { EXPECT_EQ(LargeMemory().data(), nullptr); }

TEST(LargeMemory, ThrowsWhenThereIsNotSoMuch) {
  EXPECT_THROW(LargeMemory(std::size_t{1} << 60), std::bad_alloc);
}

}  // namespace
}  // namespace glint
