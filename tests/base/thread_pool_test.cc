// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace glint {
namespace {

TEST(ThreadPool, CallsEveryIndexOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    std::vector<std::atomic<int>> calls(1000);
    pool.ParallelFor(1000, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    for (const auto& count : calls) ASSERT_EQ(count, 1);
  }
}

TEST(ThreadPool, ServesSeveralCallersAndNestedCalls) {
  ThreadPool pool(3);
  std::atomic<int> calls = 0;
  {
    std::vector<std::jthread> callers;
    callers.reserve(4);
    for (int c = 0; c < 4; ++c) {
      callers.emplace_back([&] {
        pool.ParallelFor(
            20, [&](std::int64_t) { pool.ParallelFor(5, [&](std::int64_t) { ++calls; }); });
      });
    }
  }
  EXPECT_EQ(calls, 4 * 20 * 5);
}

TEST(ThreadPool, ThrowsTheFirstExceptionAfterTheOthersEnded) {
  ThreadPool pool(2);
  std::atomic<int> calls = 0;
  EXPECT_THROW(pool.ParallelFor(50,
                                [&](std::int64_t i) {
                                  ++calls;
                                  if (i == 7) throw std::runtime_error("seven");
                                }),
               std::runtime_error);
  EXPECT_EQ(calls, 50);
}

}  // namespace
}  // namespace glint
