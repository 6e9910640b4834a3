// SPDX-License-Identifier: Apache-2.0
#include "analyse/descriptor_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/features2d.hpp>
#include <random>

namespace glint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// Random descriptors of which only some bits are used, so that equal distances are frequent.
cv::Mat Descriptors(int rows, std::uint8_t bits, std::uint32_t seed) {
  std::mt19937 random(seed);
  cv::Mat descriptors(rows, 32, CV_8UC1);
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < 32; ++x)
      descriptors.at<std::uint8_t>(y, x) = static_cast<std::uint8_t>(random() >> 24) & bits;
  }
  return descriptors;
}

TEST(MatchMutually, FindsWhatOpenCvFindsForAnyNumberOfRows) {
  for (const std::uint8_t bits : {0xFF, 0x01}) {
    for (const int rows : {1, 2, 3, 7, 8, 15, 16, 17, 33, 100, 301}) {
      const cv::Mat from = Descriptors(rows, bits, 1);
      const cv::Mat to = Descriptors(1 + rows * 2 / 3, bits, 2);
      std::vector<cv::DMatch> expected;
      cv::BFMatcher(cv::NORM_HAMMING, true).match(from, to, expected);
      const auto actual = MatchMutually(from, to);
      ASSERT_EQ(actual.size(), expected.size()) << rows << " rows";
      for (std::size_t i = 0; i < actual.size(); ++i) {
        EXPECT_EQ(actual[i], std::pair(expected[i].queryIdx, expected[i].trainIdx))
            << rows << " rows";
      }
    }
  }
}

TEST(MatchMutually, CountsEveryBit) {
  cv::Mat from = cv::Mat::zeros(1, 32, CV_8UC1);
  cv::Mat to = cv::Mat(2, 32, CV_8UC1, cv::Scalar(255));
  EXPECT_THAT(MatchMutually(from, to), ElementsAre(Pair(0, 0)));
  to.at<std::uint8_t>(1, 31) = 0x7F;  // 255 bits away instead of 256
  EXPECT_THAT(MatchMutually(from, to), ElementsAre(Pair(0, 1)));
}

TEST(MatchMutually, NothingMatchesNothing) {
  EXPECT_THAT(MatchMutually(cv::Mat(), Descriptors(3, 0xFF, 1)), IsEmpty());
  EXPECT_THAT(MatchMutually(Descriptors(3, 0xFF, 1), cv::Mat()), IsEmpty());
}

}  // namespace
}  // namespace glint
