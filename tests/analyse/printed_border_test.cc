// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/printed_border.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>
#include <optional>

#include "analyse/location/outline_group.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"
#include "analyse/still_clip.h"

namespace glint {
namespace {

const Quadrilateral kRim = Box(79.5, 99.5, 319.5, 459.5);
const Quadrilateral kPanel = Box(97.5, 117.5, 301.5, 441.5);
constexpr int kBorderPx = 18;

/// A print with plain edges in a border whose colour is near the table's.
cv::Mat CardOnATable(const cv::Scalar& border) {
  cv::Mat rgb(560, 400, CV_8UC3, cv::Scalar(78, 95, 94));
  rgb(cv::Rect(80, 100, 240, 360)) = border;
  rgb(cv::Rect(98, 118, 204, 324)) = cv::Scalar(228, 222, 205);
  for (int y = 150; y < 430; y += 24) rgb(cv::Rect(120, y, 160, 8)) = cv::Scalar(60, 60, 70);
  return rgb;
}

const cv::Scalar kBorder(104, 95, 108);

class BorderClip : public StillClip {
 public:
  explicit BorderClip(const cv::Mat& rgb) : StillClip(rgb, kPanel) {}

  bool HasBorder(const Quadrilateral& outline) const {
    return HasPrintedBorder(clip(), motion(), frames(), outline, {});
  }
  std::optional<Quadrilateral> RimAround(const Quadrilateral& panel) const {
    return RimAroundPanel(clip(), motion(), frames(), panel, {});
  }
  /// The panel's group, with what AddEvenBorder makes of it.
  OutlineGroup WithEvenBorder() const {
    OutlineGroup group{.motion = motion(), .frames = frames()};
    group.best.corners = kPanel;
    AddEvenBorder(clip(), {}, group);
    return group;
  }
  std::optional<OutlineGroup> Outermost() const { return FindOutermost(clip(), track(), {}); }
};

TEST(PrintedBorder, RunsInsideOfTheRimAndNotInsideOfThePanel) {
  const BorderClip clip(CardOnATable(kBorder));
  EXPECT_TRUE(clip.HasBorder(kRim));
  EXPECT_FALSE(clip.HasBorder(kPanel));
}

TEST(PrintedBorder, LeadsFromThePanelToTheRim) {
  const BorderClip clip(CardOnATable(kBorder));
  const auto rim = clip.RimAround(kPanel);
  ASSERT_TRUE(rim);
  EXPECT_LT(CornerDistance(*rim, kRim), 1.5);
  EXPECT_FALSE(clip.RimAround(kRim)) << "the table has no end";
}

TEST(PrintedBorder, MakesTheRimTheOutlineThoughNoFrameProposesIt) {
  const auto group = BorderClip(CardOnATable(kBorder)).Outermost();
  ASSERT_TRUE(group);
  EXPECT_LT(TurnedCornerDistance(group->best.corners, kRim), 1.5);
}

TEST(PrintedBorder, MayBeHiddenByAThumbAndLieInShadow) {
  cv::Mat rgb = CardOnATable(kBorder);
  cv::ellipse(rgb, {200, 470}, {36, 60}, 0, 0, 360, cv::Scalar(190, 140, 110), cv::FILLED);
  rgb(cv::Rect(0, 0, 200, 560)) *= 0.75;
  EXPECT_TRUE(BorderClip(rgb).HasBorder(kRim));
}

TEST(PrintedBorder, IsOfOneColourOnAllSides) {
  cv::Mat rgb = CardOnATable(kBorder);
  rgb(cv::Rect(80, 118, kBorderPx, 324)) = cv::Scalar(150, 95, 60);
  const BorderClip clip(rgb);
  EXPECT_FALSE(clip.HasBorder(kRim));
  EXPECT_FALSE(clip.RimAround(kPanel));
}

TEST(PrintedBorder, IsAboutAsWideOnAllSides) {
  cv::Mat rgb = CardOnATable(kBorder);
  rgb(cv::Rect(86, 118, 12, 324)) = cv::Scalar(228, 222, 205);  // 6 px are left of the left side
  EXPECT_FALSE(BorderClip(rgb).HasBorder(kRim));
}

TEST(PrintedBorder, EndsAtAStraightEdgeAlongTheRim) {
  cv::Mat rgb = CardOnATable(kBorder);
  for (int y = 118; y < 442; ++y) {  // from 6 to 30 px
    const int width = 6 + 24 * (y - 118) / 324;
    rgb(cv::Rect(80, y, 40, 1)) = cv::Scalar(228, 222, 205);
    rgb(cv::Rect(80, y, width, 1)) = kBorder;
  }
  EXPECT_FALSE(BorderClip(rgb).HasBorder(kRim));
}

TEST(PrintedBorder, OfOneWidthNeedsNoOtherProof) {
  const OutlineGroup group = BorderClip(CardOnATable(kBorder)).WithEvenBorder();
  EXPECT_TRUE(group.widened);
  EXPECT_LT(CornerDistance(group.best.corners, kRim), 1.5);
}

TEST(PrintedBorder, OfTwoWidthsNeedsMore) {
  cv::Mat rgb = CardOnATable(kBorder);
  rgb(cv::Rect(80, 100, 8, 360)) = cv::Scalar(78, 95, 94);  // 10 px are left of the left side
  const OutlineGroup group = BorderClip(rgb).WithEvenBorder();
  EXPECT_FALSE(group.widened);
  EXPECT_EQ(CornerDistance(group.best.corners, kPanel), 0);
}

TEST(PrintedBorder, IsNoTable) {
  const BorderClip clip(CardOnATable(cv::Scalar(78, 95, 94)));
  EXPECT_FALSE(clip.HasBorder(kRim));
  const auto group = clip.Outermost();
  ASSERT_TRUE(group);
  EXPECT_LT(TurnedCornerDistance(group->best.corners, kPanel), 1.5);
}

}  // namespace
}  // namespace glint
