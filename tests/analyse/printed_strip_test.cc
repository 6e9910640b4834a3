// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/printed_strip.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <optional>

#include "analyse/location/outline_shapes.h"
#include "analyse/still_clip.h"

namespace glint {
namespace {

const Quadrilateral kPicture = Box(97.5, 99.5, 319.5, 459.5);  // what has the plain edges
const Quadrilateral kCover = Box(85.5, 99.5, 319.5, 459.5);
const cv::Scalar kTable(78, 77, 78);
const cv::Scalar kGreen(72, 98, 76);

/// A cover whose title bar on the left is nearly as dark as the table.
cv::Mat CoverOnATable(const cv::Scalar& bar) {
  cv::Mat rgb(560, 400, CV_8UC3, kTable);
  rgb(cv::Rect(86, 100, 234, 360)) = cv::Scalar(228, 205, 160);
  rgb(cv::Rect(86, 100, 12, 360)) = bar;
  for (int y = 150; y < 430; y += 24) rgb(cv::Rect(120, y, 160, 8)) = cv::Scalar(60, 60, 70);
  return rgb;
}

std::optional<Quadrilateral> Wider(const cv::Mat& rgb) {
  const StillClip still(rgb, kPicture);
  return WithPrintedStrips(still.clip(), still.motion(), still.frames(), kPicture, {});
}

TEST(PrintedStrip, BelongsToTheObject) {
  const auto wider = Wider(CoverOnATable(kGreen));
  ASSERT_TRUE(wider);
  EXPECT_LT(TurnedCornerDistance(*wider, kCover), 1.5);
}

TEST(PrintedStrip, MayHaveLostACornerAndHaveLetters) {
  cv::Mat rgb = CoverOnATable(kGreen);
  cv::ellipse(rgb, {86, 460}, {40, 60}, 0, 0, 360, kTable, cv::FILLED);
  for (int y = 160; y < 360; y += 16) rgb(cv::Rect(90, y, 4, 6)) = cv::Scalar(228, 222, 205);
  const auto wider = Wider(rgb);
  ASSERT_TRUE(wider);
  EXPECT_LT(TurnedCornerDistance(*wider, kCover), 2.5);
}

TEST(PrintedStrip, IsNoShadow) { EXPECT_FALSE(Wider(CoverOnATable(kTable * 0.6))); }

TEST(PrintedStrip, IsNoEdgeOfAPageBlock) {
  EXPECT_FALSE(Wider(CoverOnATable(cv::Scalar(190, 190, 190))));
}

TEST(PrintedStrip, IsNoOtherTable) {
  cv::Mat rgb = CoverOnATable(kGreen);
  rgb(cv::Rect(86, 0, 12, 560)) = kGreen;  // goes on beyond the cover
  EXPECT_FALSE(Wider(rgb));
}

TEST(PrintedStrip, IsLookedForInVainOnATable) { EXPECT_FALSE(Wider(CoverOnATable(kTable))); }

}  // namespace
}  // namespace glint
