// SPDX-License-Identifier: Apache-2.0
#include "analyse/location/printed_border.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "analyse/location/outline_group.h"
#include "analyse/location/outline_shapes.h"
#include "analyse/quadrilateral.h"
#include "base/thread_pool.h"

namespace glint {
namespace {

Quadrilateral Box(double left, double top, double right, double bottom) {
  return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}};
}

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

/// Six frames of one picture, and the motion between them.
class StillClip {
 public:
  explicit StillClip(const cv::Mat& rgb) : pool_(1), clip_(Views(rgb), pool_) {
    for (std::size_t i = 0; i < clip_.size(); ++i) {
      frames_.push_back(i);
      motion_[i] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
      track_[i] = {.corners = kPanel, .judged = JudgeOutline(clip_[i].edges, kPanel, 3)};
    }
  }

  bool HasBorder(const Quadrilateral& outline) const {
    return HasPrintedBorder(clip_, motion_, frames_, outline, {});
  }
  std::optional<Quadrilateral> RimAround(const Quadrilateral& panel) const {
    return RimAroundPanel(clip_, motion_, frames_, panel, {});
  }
  std::optional<OutlineGroup> Outermost() const { return FindOutermost(clip_, track_, {}); }

 private:
  static std::vector<SearchedView> Views(const cv::Mat& rgb) {
    const ObjectSearchParams params;
    std::vector<SearchedView> views;
    views.reserve(6);
    for (int i = 0; i < 6; ++i) {
      views.push_back({.edges = EdgeMap(rgb, params.judging),
                       .grey = cv::Mat(rgb.size(), CV_8U, cv::Scalar(0)),
                       .features = {},
                       .proposals = {{.corners = kPanel, .score = 0.9}}});
    }
    return views;
  }

  ThreadPool pool_;
  SearchedClip clip_;
  std::vector<std::size_t> frames_;
  std::map<std::size_t, Homography> motion_;
  OutlineTrack track_;
};

TEST(PrintedBorder, RunsInsideOfTheRimAndNotInsideOfThePanel) {
  const StillClip clip(CardOnATable(kBorder));
  EXPECT_TRUE(clip.HasBorder(kRim));
  EXPECT_FALSE(clip.HasBorder(kPanel));
}

TEST(PrintedBorder, LeadsFromThePanelToTheRim) {
  const StillClip clip(CardOnATable(kBorder));
  const auto rim = clip.RimAround(kPanel);
  ASSERT_TRUE(rim);
  EXPECT_LT(CornerDistance(*rim, kRim), 1.5);
  EXPECT_FALSE(clip.RimAround(kRim)) << "the table has no end";
}

TEST(PrintedBorder, MakesTheRimTheOutlineThoughNoFrameProposesIt) {
  const auto group = StillClip(CardOnATable(kBorder)).Outermost();
  ASSERT_TRUE(group);
  EXPECT_LT(TurnedCornerDistance(group->best.corners, kRim), 1.5);
}

TEST(PrintedBorder, MayBeHiddenByAThumbAndLieInShadow) {
  cv::Mat rgb = CardOnATable(kBorder);
  cv::ellipse(rgb, {200, 470}, {36, 60}, 0, 0, 360, cv::Scalar(190, 140, 110), cv::FILLED);
  rgb(cv::Rect(0, 0, 200, 560)) *= 0.75;
  EXPECT_TRUE(StillClip(rgb).HasBorder(kRim));
}

TEST(PrintedBorder, IsOfOneColourOnAllSides) {
  cv::Mat rgb = CardOnATable(kBorder);
  rgb(cv::Rect(80, 118, kBorderPx, 324)) = cv::Scalar(150, 95, 60);
  const StillClip clip(rgb);
  EXPECT_FALSE(clip.HasBorder(kRim));
  EXPECT_FALSE(clip.RimAround(kPanel));
}

TEST(PrintedBorder, IsAboutAsWideOnAllSides) {
  cv::Mat rgb = CardOnATable(kBorder);
  rgb(cv::Rect(86, 118, 12, 324)) = cv::Scalar(228, 222, 205);  // 6 px are left of the left side
  EXPECT_FALSE(StillClip(rgb).HasBorder(kRim));
}

TEST(PrintedBorder, EndsAtAStraightEdgeAlongTheRim) {
  cv::Mat rgb = CardOnATable(kBorder);
  for (int y = 118; y < 442; ++y) {  // from 6 to 30 px
    const int width = 6 + 24 * (y - 118) / 324;
    rgb(cv::Rect(80, y, 40, 1)) = cv::Scalar(228, 222, 205);
    rgb(cv::Rect(80, y, width, 1)) = kBorder;
  }
  EXPECT_FALSE(StillClip(rgb).HasBorder(kRim));
}

TEST(PrintedBorder, IsNoTable) {
  const StillClip clip(CardOnATable(cv::Scalar(78, 95, 94)));
  EXPECT_FALSE(clip.HasBorder(kRim));
  const auto group = clip.Outermost();
  ASSERT_TRUE(group);
  EXPECT_LT(TurnedCornerDistance(group->best.corners, kPanel), 1.5);
}

}  // namespace
}  // namespace glint
