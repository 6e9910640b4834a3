// SPDX-License-Identifier: Apache-2.0
#include "analyse/judgeable.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>
#include <optional>

#include "analyse/detection.h"
#include "base/mat.h"

namespace glint {
namespace {

/// What views show of an object of ten rows, `known` of them.
Detection Shown(int known, double light_change) {
  cv::Mat seen(10, 20, CV_8U, cv::Scalar(0));
  if (known > 0) seen(cv::Rect(0, 0, 20, known)) = 255;
  Detection found;
  found.seen = AsPlane(seen);
  found.mask = AsPlane(cv::Mat(seen.size(), CV_8U, cv::Scalar(0)));
  found.light_change = light_change;
  return found;
}

TEST(WhyNotJudgeable, IsNothingWhereTheObjectIsKnownAndTheLightMoves) {
  EXPECT_EQ(WhyNotJudgeable(Shown(10, 0.05), true, {}), std::nullopt);
  EXPECT_EQ(WhyNotJudgeable(Shown(5, 0.0041), true, {}), std::nullopt);
}

TEST(WhyNotJudgeable, SaysWhatCountsMost) {
  EXPECT_EQ(WhyNotJudgeable(Shown(0, 0), true, {}), NotJudgedCause::kNoObject);
  EXPECT_EQ(WhyNotJudgeable(Shown(4, 0), true, {}), NotJudgedCause::kFewViews);
  EXPECT_EQ(WhyNotJudgeable(Shown(10, 0.0039), true, {}), NotJudgedCause::kStillLight);
}

TEST(WhyNotJudgeable, AsksForLightOnlyWhereItMattersAndIsKnown) {
  EXPECT_EQ(WhyNotJudgeable(Shown(10, 0), false, {}), std::nullopt);
  Detection unknown_light = Shown(10, 0);
  unknown_light.light_change.reset();
  EXPECT_EQ(WhyNotJudgeable(unknown_light, true, {}), std::nullopt);
}

TEST(WhyNotJudgeable, IsNothingWhereATearShowsWithoutAnyLight) {
  Detection torn = Shown(10, 0);
  AsMat(torn.mask)(cv::Rect(3, 0, 2, 6)) = 255;
  EXPECT_EQ(WhyNotJudgeable(torn, true, {}), std::nullopt);
}

TEST(WhyNotJudgeable, TakesItsLimitsFromTheParameters) {
  EXPECT_EQ(WhyNotJudgeable(Shown(4, 0.05), true, {.max_unknown_share = 0.7}), std::nullopt);
  EXPECT_EQ(WhyNotJudgeable(Shown(10, 0.05), true, {.min_light_change = 0.1}),
            NotJudgedCause::kStillLight);
}

}  // namespace
}  // namespace glint
