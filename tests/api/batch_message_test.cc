// SPDX-License-Identifier: Apache-2.0
#include "api/batch_message.h"

#include <gtest/gtest.h>

namespace glint {
namespace {

using namespace std::chrono_literals;

const JobTime kNow{std::chrono::hours(1000)};

TEST(ScansPerMinute, OfABatchUnderWayIsThatOfItsLastFiveMinutes) {
  const BatchState batch{.counts = {.queued = 90, .running = 10, .succeeded = 500},
                         .recently = 50,
                         .now = kNow,
                         .created = kNow - 1h,
                         .started = kNow - 1h};
  EXPECT_DOUBLE_EQ(ScansPerMinute(batch), 10);
  EXPECT_EQ(TimeLeft(batch), 10min);
}

TEST(ScansPerMinute, OfABatchThatHasJustBegunIsThatSinceItsBegin) {
  const BatchState batch{.counts = {.queued = 30, .succeeded = 10},
                         .recently = 10,
                         .now = kNow,
                         .created = kNow - 10min,
                         .started = kNow - 1min};
  EXPECT_DOUBLE_EQ(ScansPerMinute(batch), 10);
  EXPECT_EQ(TimeLeft(batch), 3min);
}

TEST(ScansPerMinute, OfABatchThatHasEndedIsThatOfAllOfIt) {
  const BatchState batch{.counts = {.succeeded = 100, .failed = 20, .cancelled = 5},
                         .now = kNow,
                         .created = kNow - 3h,
                         .started = kNow - 2h,
                         .ended = kNow - 1h};
  EXPECT_DOUBLE_EQ(ScansPerMinute(batch), 2);
  EXPECT_EQ(TimeLeft(batch), std::nullopt);
}

TEST(ScansPerMinute, IsNotKnownBeforeTheFirstEnd) {
  const BatchState waits{.counts = {.queued = 10}, .now = kNow, .created = kNow - 1h};
  EXPECT_EQ(ScansPerMinute(waits), 0);
  EXPECT_EQ(TimeLeft(waits), std::nullopt);
  const BatchState runs{
      .counts = {.queued = 9, .running = 1}, .now = kNow, .created = kNow - 1h, .started = kNow};
  EXPECT_EQ(ScansPerMinute(runs), 0);
  EXPECT_EQ(TimeLeft(runs), std::nullopt);
}

TEST(ToBatchMessage, HasAnEndOnlyWhenNothingIsLeft) {
  BatchState batch{.counts = {.running = 1, .succeeded = 1},
                   .now = kNow,
                   .created = kNow - 2min,
                   .started = kNow - 1min,
                   .ended = kNow};
  EXPECT_FALSE(ToBatchMessage({"ann", "n"}, batch).has_end_time());
  batch.counts.running = 0;
  const v1::Batch message = ToBatchMessage({"ann", "n"}, batch);
  EXPECT_TRUE(message.has_end_time());
  EXPECT_EQ(message.owner(), "ann");
}

}  // namespace
}  // namespace glint
