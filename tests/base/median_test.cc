// SPDX-License-Identifier: Apache-2.0
#include "base/median.h"

#include <gtest/gtest.h>

#include <utility>

namespace glint {
namespace {

TEST(MedianTest, AnOddNumberHasOneMedian) {
  std::vector<int> values = {9, 1, 5};
  EXPECT_EQ(UpperMedian(values), 5);
  EXPECT_EQ(Median(values), 5.0);
}

TEST(MedianTest, OfAnEvenNumberTheUpperMedianIsTheLargerOfTheMiddleTwo) {
  std::vector<double> values = {7, 1, 4, 2};
  EXPECT_EQ(UpperMedian(values), 4);
}

TEST(MedianTest, OfAnEvenNumberTheMedianIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(Median(std::vector{7, 1, 4, 1}), 2.5);
  EXPECT_EQ(Median(std::vector{1.0, 2.0}), 1.5);
}

TEST(MedianTest, TheMedianOfNothingIsZero) { EXPECT_EQ(Median(std::vector<int>{}), 0); }

TEST(MedianTest, AKeySaysWhatIsCompared) {
  std::vector<std::pair<int, int>> values = {{1, 30}, {2, 10}, {3, 20}};
  EXPECT_EQ(UpperMedian(values, [](const auto& pair) { return pair.second; }), 20);
}

TEST(MedianTest, TheNthSmallestIsTheOneThatSortingPutsThere) {
  std::vector<int> values = {5, 3, 1, 4, 2};
  for (std::size_t at = 0; at < values.size(); ++at) {
    EXPECT_EQ(NthSmallest(values, at), static_cast<int>(at) + 1);
  }
}

}  // namespace
}  // namespace glint
