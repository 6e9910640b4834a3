// SPDX-License-Identifier: Apache-2.0
#include "decode/sandbox/observed_time.h"

#include <gtest/gtest.h>

namespace glint::sandbox {
namespace {

using namespace std::chrono_literals;

TEST(ObservedTime, CountsWhatPassesBetweenLooks) {
  ObservedTime::Clock::time_point now;
  ObservedTime waited(60ms, now);
  for (int i = 0; i < 50; ++i) waited.Look(now += 20ms);
  EXPECT_EQ(waited.Look(now), 1s);
}

TEST(ObservedTime, AStallCountsAsOneLook) {
  ObservedTime::Clock::time_point now;
  ObservedTime waited(60ms, now);
  EXPECT_EQ(waited.Look(now += 1h), 60ms);
  EXPECT_EQ(waited.Look(now += 20ms), 80ms);
}

}  // namespace
}  // namespace glint::sandbox
