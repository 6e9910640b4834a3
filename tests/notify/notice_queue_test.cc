// SPDX-License-Identifier: Apache-2.0
#include "notify/notice_queue.h"

#include <gtest/gtest.h>

#include <thread>

#include "notify/test_notice.h"

namespace glint {
namespace {

using std::chrono::milliseconds;

TEST(NoticeQueue, KeepsTheLatestOfEachScanInOrder) {
  NoticeQueue queue({});
  queue.Push(Notice("a", 1));
  queue.Push(Notice("b", 1));
  queue.Push(Notice("a", 3));
  queue.Push(Notice("a", 2));  // late: out of date
  EXPECT_EQ(queue.merged(), 2);
  const auto first = queue.Pop();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->scan_id, "a");
  EXPECT_EQ(first->seq, 3);
  EXPECT_EQ(queue.Pop()->scan_id, "b");
}

TEST(NoticeQueue, HoldsProgressBackAndFinalNoticesNot) {
  NoticeQueue queue({.gap = std::chrono::hours(1)});
  queue.Push(Notice("a", 1));
  ASSERT_EQ(queue.Pop()->seq, 1);
  queue.Push(Notice("a", 2));  // its turn comes in an hour
  queue.Push(Notice("b", 1));
  EXPECT_EQ(queue.Pop()->scan_id, "b");
  queue.Push(Notice("a", 3, true));
  EXPECT_EQ(queue.Pop()->seq, 3);
}

TEST(NoticeQueue, PassesHeldProgressOnWhenItsTurnComes) {
  NoticeQueue queue({.gap = milliseconds(20)});
  queue.Push(Notice("a", 1));
  ASSERT_EQ(queue.Pop()->seq, 1);
  queue.Push(Notice("a", 2));
  EXPECT_EQ(queue.Pop()->seq, 2);
}

TEST(NoticeQueue, DropsProgressBeforeFinalNotices) {
  NoticeQueue queue({.capacity = 2});
  queue.Push(Notice("done", 1, true));
  queue.Push(Notice("b", 1));
  queue.Push(Notice("c", 1));  // for which b makes room
  EXPECT_EQ(queue.dropped(), 1);
  queue.Push(Notice("also done", 1, true));  // for which c makes room
  EXPECT_EQ(queue.dropped(), 2);
  queue.Push(Notice("too late", 1, true));
  EXPECT_EQ(queue.dropped(), 3);
  EXPECT_EQ(queue.Pop()->scan_id, "done");
  EXPECT_EQ(queue.Pop()->scan_id, "also done");
}

TEST(NoticeQueue, GivesWhatWaitsWhenItIsClosed) {
  NoticeQueue queue({.gap = std::chrono::hours(1), .farewell = std::chrono::hours(1)});
  queue.Push(Notice("a", 1));
  ASSERT_TRUE(queue.Pop());
  queue.Push(Notice("a", 2));
  std::jthread closer([&] {
    std::this_thread::sleep_for(milliseconds(20));
    queue.Close();
  });
  EXPECT_EQ(queue.Pop()->seq, 2);
  EXPECT_FALSE(queue.Pop().has_value());
  queue.Push(Notice("b", 1));
  EXPECT_EQ(queue.dropped(), 1);
}

}  // namespace
}  // namespace glint
