// SPDX-License-Identifier: Apache-2.0
#include "base/closest_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace glint {
namespace {

const std::vector<std::string> kNames = {"scan", "synth", "serve", "submit", "--item-type"};

TEST(ClosestName, FindsWhatWasMistyped) {
  EXPECT_EQ(ClosestName("scna", kNames), "scan");
  EXPECT_EQ(ClosestName("scann", kNames), "scan");
  EXPECT_EQ(ClosestName("sumbit", kNames), "submit");
  EXPECT_EQ(ClosestName("--itemtype", kNames), "--item-type");
}

TEST(ClosestName, LeavesAloneWhatIsSomethingElse) {
  EXPECT_EQ(ClosestName("video.mp4", kNames), "");
  EXPECT_EQ(ClosestName("", kNames), "");
  EXPECT_EQ(ClosestName(std::string(100'000, 'a'), kNames), "");
  EXPECT_EQ(ClosestName("scan", {}), "");
}

TEST(ClosestName, AsksWhetherItWasMeant) {
  EXPECT_EQ(DidYouMean("scna", kNames), "; did you mean 'scan'?");
  EXPECT_EQ(DidYouMean("video.mp4", kNames), "");
}

}  // namespace
}  // namespace glint
