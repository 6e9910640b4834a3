// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
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

TEST(ThreadPool, DoesWorkBesideItsCallersOwn) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> calls(100);
    std::atomic<int> others = 0;
    auto pending = pool.Start(100, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; });
    pool.ParallelFor(50, [&](std::int64_t) { ++others; });
    EXPECT_EQ(others, 50);
    pending.Finish();
    for (const auto& count : calls) ASSERT_EQ(count, 1);
    pending.Finish();  // once is enough
  }
}

TEST(ThreadPool, BeginsPendingWorkWithoutBeingWaitedFor) {
  ThreadPool pool(2);
  std::promise<void> begun;
  auto pending = pool.Start(1, [&](std::int64_t) { begun.set_value(); });
  begun.get_future().wait();
  pending.Finish();
}

TEST(ThreadPool, WaitsForWorkInHandWhenItIsNotWanted) {
  ThreadPool pool(2);
  std::promise<void> begun;
  std::promise<void> go_on;
  std::atomic<int> calls = 0;
  std::jthread releases;
  {
    const auto pending = pool.Start(1000, [&](std::int64_t i) {
      if (i == 0) {
        begun.set_value();
        go_on.get_future().wait();
      }
      ++calls;
    });
    begun.get_future().wait();
    releases = std::jthread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      go_on.set_value();
    });
  }
  EXPECT_EQ(calls, 1);  // the only worker had it in hand; the others were left out
}

TEST(ThreadPool, LeavesWorkOutThatNobodyWants) {
  ThreadPool pool(1);
  int calls = 0;
  {
    const auto pending = pool.Start(10, [&](std::int64_t) { ++calls; });
  }
  EXPECT_EQ(calls, 0);
}

TEST(ThreadPool, ThrowsWhatPendingWorkThrew) {
  ThreadPool pool(2);
  auto pending = pool.Start(20, [](std::int64_t i) {
    if (i == 7) throw std::runtime_error("seven");
  });
  EXPECT_THROW(pending.Finish(), std::runtime_error);
}

}  // namespace
}  // namespace glint
