// SPDX-License-Identifier: Apache-2.0
#include "base/bounded_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace glint {
namespace {

TEST(BoundedQueue, KeepsTheOrderAndEndsWhenClosed) {
  BoundedQueue<int> queue(2);
  std::jthread producer([&] {
    for (int i = 0; i < 1000; ++i) queue.Push(i);
    queue.Close();
  });
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(queue.Pop(), i);
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

TEST(BoundedQueue, CloseFreesAWaitingProducer) {
  BoundedQueue<int> queue(1);
  ASSERT_TRUE(queue.Push(1));
  std::jthread closer([&] { queue.Close(); });
  EXPECT_FALSE(queue.Push(2));
  EXPECT_EQ(queue.Pop(), 1);
  EXPECT_EQ(queue.Pop(), std::nullopt);
}

}  // namespace
}  // namespace glint
