// SPDX-License-Identifier: Apache-2.0
#include "notify/notification_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "notify/test_notification.h"

namespace glint {
namespace {

using std::chrono::milliseconds;

TEST(NotificationQueue, KeepsTheLatestOfEachScanInOrder) {
  NotificationQueue queue({});
  queue.Push(MakeNotification("a", 1));
  queue.Push(MakeNotification("b", 1));
  queue.Push(MakeNotification("a", 3));
  queue.Push(MakeNotification("a", 2));  // late: out of date
  EXPECT_EQ(queue.merged(), 2);
  const auto first = queue.Pop();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->scan_id, "a");
  EXPECT_EQ(first->seq, 3);
  EXPECT_EQ(queue.Pop()->scan_id, "b");
}

TEST(NotificationQueue, HoldsProgressBackAndFinalNotificationsNot) {
  NotificationQueue queue({.min_interval = std::chrono::hours(1)});
  queue.Push(MakeNotification("a", 1));
  ASSERT_EQ(queue.Pop()->seq, 1);
  queue.Push(MakeNotification("a", 2));  // its turn comes in an hour
  queue.Push(MakeNotification("b", 1));
  EXPECT_EQ(queue.Pop()->scan_id, "b");
  queue.Push(MakeNotification("a", 3, true));
  EXPECT_EQ(queue.Pop()->seq, 3);
}

TEST(NotificationQueue, PassesHeldProgressOnWhenItsTurnComes) {
  NotificationQueue queue({.min_interval = milliseconds(20)});
  queue.Push(MakeNotification("a", 1));
  ASSERT_EQ(queue.Pop()->seq, 1);
  queue.Push(MakeNotification("a", 2));
  EXPECT_EQ(queue.Pop()->seq, 2);
}

TEST(NotificationQueue, DropsProgressBeforeFinalNotifications) {
  NotificationQueue queue({.capacity = 2});
  queue.Push(MakeNotification("done", 1, true));
  queue.Push(MakeNotification("b", 1));
  queue.Push(MakeNotification("c", 1));  // for which b makes room
  EXPECT_EQ(queue.dropped(), 1);
  queue.Push(MakeNotification("also done", 1, true));  // for which c makes room
  EXPECT_EQ(queue.dropped(), 2);
  queue.Push(MakeNotification("too late", 1, true));
  EXPECT_EQ(queue.dropped(), 3);
  EXPECT_EQ(queue.Pop()->scan_id, "done");
  EXPECT_EQ(queue.Pop()->scan_id, "also done");
}

TEST(NotificationQueue, GivesWhatWaitsWhenItIsClosed) {
  NotificationQueue queue(
      {.min_interval = std::chrono::hours(1), .drain_timeout = std::chrono::hours(1)});
  queue.Push(MakeNotification("a", 1));
  ASSERT_TRUE(queue.Pop());
  queue.Push(MakeNotification("a", 2));
  std::jthread closer([&] {
    std::this_thread::sleep_for(milliseconds(20));
    queue.Close();
  });
  EXPECT_EQ(queue.Pop()->seq, 2);
  EXPECT_FALSE(queue.Pop().has_value());
  queue.Push(MakeNotification("b", 1));
  EXPECT_EQ(queue.dropped(), 1);
}

}  // namespace
}  // namespace glint
