// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/fake_clock.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using namespace std::chrono_literals;
using testing::_;

TEST(RealClock, SleepsForTheWholeTime) {
  const auto start = RealClock().Now();
  EXPECT_TRUE(RealClock().Sleep(20ms, {}));
  EXPECT_GE(RealClock().Now() - start, 20ms);
  EXPECT_TRUE(RealClock().Sleep(-1ms, {})) << "a time that is over is not waited for";
}

TEST(RealClock, AStopEndsASleepAtOnce) {
  bool passed = true;
  const auto start = RealClock().Now();
  std::jthread sleeper([&](const std::stop_token& stop) { passed = RealClock().Sleep(1h, stop); });
  sleeper.request_stop();
  sleeper.join();
  EXPECT_FALSE(passed);
  EXPECT_LT(RealClock().Now() - start, 1min);
}

TEST(RealClock, AWaitEndsWithTheDeadlineOrTheCancellation) {
  const auto soon = RealClock().Now() + 20ms;
  EXPECT_THAT(RealClock().Wait(1h, CancelToken({}, soon)), FailsWith(Reason::kDeadlineExceeded, _));
  EXPECT_GE(RealClock().Now(), soon);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(RealClock().Wait(1h, CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, _));
  EXPECT_THAT(RealClock().Wait(1ms, CancelToken()), IsOk());
}

TEST(FakeClock, SleepingMovesItWithoutAWait) {
  FakeClock clock;
  const auto start = clock.Now();
  EXPECT_THAT(clock.Wait(24h, CancelToken()), IsOk());
  EXPECT_EQ(clock.Now() - start, 24h);
  EXPECT_EQ(clock.sleeps(), std::vector<SteadyClock::Duration>{24h});
}

}  // namespace
}  // namespace glint
