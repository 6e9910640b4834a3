// SPDX-License-Identifier: Apache-2.0
#include "analyse/regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "analyse/cpu_stages.h"
#include "base/mat.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::ElementsAre;

constexpr Homography kIdentity = {1, 0, 0, 0, 1, 0, 0, 0, 1};
constexpr int kOne = 1 << ClassicFusionStage::kScoreBits;

/// A mask as text: every character but '.' is marked.
Plane Draw(const std::vector<std::string>& rows) {
  Plane plane = Plane::Host({static_cast<int>(rows[0].size()), static_cast<int>(rows.size())},
                            PixelType::kU8);
  for (int y = 0; y < plane.height(); ++y) {
    for (int x = 0; x < plane.width(); ++x) {
      plane.Row<std::uint8_t>(y)[x] =
          rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] == '.' ? 0 : 255;
    }
  }
  return plane;
}

Plane Scores(Size size, int score) {
  return AsPlane(cv::Mat(size.height, size.width, CV_32S, cv::Scalar(score)));
}

RegionMap Find(const Plane& mask, std::span<const Plane> picture_masks = {},
               const Homography& frame_from_object = kIdentity) {
  CpuStages cpu(1);
  auto map = FindRegions(mask, Scores(mask.size(), kOne / 4), picture_masks, frame_from_object,
                         cpu.stages);
  EXPECT_THAT(map, IsOk());
  return *std::move(map);
}

std::vector<std::string> Ids(const Plane& labels) {
  std::vector<std::string> rows;
  for (int y = 0; y < labels.height(); ++y) {
    std::string row;
    for (int x = 0; x < labels.width(); ++x) {
      const int id = labels.Row<std::int32_t>(y)[x];
      row += id == 0 ? '.' : static_cast<char>('0' + id);
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(Regions, AreNumberedByAreaThenByPosition) {
  const RegionMap map = Find(Draw({
      "#....##.",
      ".....##.",
      "..#.....",
      "........",
      ".#....#.",
      "..#..###",
      "...#..#.",
  }));
  EXPECT_EQ(map.found, 5);
  EXPECT_THAT(Ids(map.labels), ElementsAre("4....22.",  //
                                           ".....22.",  //
                                           "..5.....",  //
                                           "........",  //
                                           ".3....1.",  //
                                           "..3..111",  // corners connect
                                           "...3..1."));
  ASSERT_EQ(map.regions.size(), 5U);
  std::vector<std::int64_t> areas;
  for (const DefectRegion& region : map.regions) areas.push_back(region.area_px);
  EXPECT_THAT(areas, ElementsAre(5, 4, 3, 1, 1));
  EXPECT_EQ(map.regions[2].box, (Rectangle{1, 4, 3, 3}));
  EXPECT_EQ(map.regions[3].box, (Rectangle{0, 0, 1, 1}));
}

TEST(Regions, AreMeasuredAlongTheSmallestRotatedRectangle) {
  const RegionMap map = Find(Draw({
      "............",
      ".########...",
      ".########...",
      "............",
      ".#..........",
      "..#.........",
      "...#........",
      "....#......#",
  }));
  ASSERT_EQ(map.regions.size(), 3U);
  EXPECT_NEAR(map.regions[0].length_px, 8, 1e-4);
  EXPECT_NEAR(map.regions[0].width_px, 2, 1e-4);
  EXPECT_NEAR(map.regions[1].length_px, 4 * std::sqrt(2), 1e-4);
  EXPECT_NEAR(map.regions[1].width_px, 1 / std::sqrt(2), 1e-4);
  EXPECT_NEAR(map.regions[2].length_px, 1, 1e-4);
  EXPECT_NEAR(map.regions[2].width_px, 1, 1e-4);
}

TEST(Regions, AreAsStrongAsTheirPixelsScoreOnAverage) {
  const Plane mask = Draw({"##.##"});
  Plane score = Plane::Host(mask.size(), PixelType::kS32);
  std::ranges::copy(std::array{kOne, kOne / 2, kOne, 0, kOne / 4}, score.Row<std::int32_t>(0));
  CpuStages cpu(1);
  const auto map = FindRegions(mask, score, {}, kIdentity, cpu.stages);
  ASSERT_THAT(map, IsOk());
  EXPECT_EQ(map->regions[0].strength, 0.75);
  EXPECT_EQ(map->regions[1].strength, 0.125);
}

TEST(Regions, AreSeenByPicturesThatMarkHalfOfThem) {
  const Plane mask = Draw({"####.##"});
  const std::vector<Plane> pictures = {Draw({"##..#.."}), Draw({"#....##"}), Draw({"....#.#"}),
                                       Draw({"#######"})};
  const RegionMap map = Find(mask, pictures);
  EXPECT_EQ(map.regions[0].views, 2);  // 2, 1, 0 and 4 of its 4 pixels
  EXPECT_EQ(map.regions[1].views, 3);  // 0, 2, 1 and 2 of its 2 pixels
}

TEST(Regions, LieInTheFrameWhereTheHomographySays) {
  // Twice as large, 100 to the right and 50 down; the outline of a pixel is half a pixel around it.
  const Homography frame_from_object = {2, 0, 100, 0, 2, 50, 0, 0, 1};
  const RegionMap map = Find(Draw({"...", ".##", "..."}), {}, frame_from_object);
  const Quadrilateral& box = map.regions[0].frame_box;
  EXPECT_EQ(box[0].x, 101);
  EXPECT_EQ(box[0].y, 51);
  EXPECT_EQ(box[1].x, 105);
  EXPECT_EQ(box[1].y, 51);
  EXPECT_EQ(box[2].x, 105);
  EXPECT_EQ(box[2].y, 53);
  EXPECT_EQ(box[3].x, 101);
  EXPECT_EQ(box[3].y, 53);
}

TEST(Regions, AreGuessedByShapeAndPlace) {
  struct Case {
    const char* name;
    std::vector<cv::Point> outline;  // filled polygon on an object of 200x300
    RegionKind kind;
  };
  const Case cases[] = {
      {"straight crease", {{40, 50}, {160, 90}, {160, 92}, {40, 52}}, RegionKind::kLine},
      {"crease that reaches the edge", {{0, 50}, {120, 90}, {120, 92}, {0, 52}}, RegionKind::kLine},
      {"speck", {{50, 50}, {54, 50}, {54, 54}, {50, 54}}, RegionKind::kSpot},
      {"stain", {{50, 50}, {90, 50}, {90, 80}, {50, 80}}, RegionKind::kArea},
      {"missing corner", {{199, 299}, {175, 299}, {199, 270}}, RegionKind::kEdgeLoss},
      {"notch in the top edge", {{90, 0}, {110, 0}, {100, 20}}, RegionKind::kEdgeLoss},
      {"blot from the edge to the middle",
       {{0, 80}, {110, 80}, {110, 170}, {0, 170}},
       RegionKind::kArea},
  };
  for (const Case& c : cases) {
    cv::Mat mask = cv::Mat::zeros(300, 200, CV_8U);
    cv::fillPoly(mask, std::vector{c.outline}, 255);
    const RegionMap map = Find(AsPlane(mask));
    ASSERT_EQ(map.regions.size(), 1U) << c.name;
    EXPECT_EQ(map.regions[0].kind, c.kind) << c.name;
  }
}

TEST(Regions, HaveLostSomeEdgeWhereTheirFamilySaysSo) {
  constexpr Size kObject{200, 300};
  struct Case {
    const char* name;
    std::string_view family;
    double length_px;
    RegionKind guessed;
    RegionKind kind;
  };
  const Case cases[] = {
      {"long narrow tear", kOutlineLayer, 90, RegionKind::kLine, RegionKind::kEdgeLoss},
      {"missing corner", kOutlineLayer, 30, RegionKind::kEdgeLoss, RegionKind::kEdgeLoss},
      {"tick at the edge", kLinesLayer, 7, RegionKind::kEdgeLoss, RegionKind::kSpot},
      {"crease along the edge", kLinesLayer, 40, RegionKind::kEdgeLoss, RegionKind::kArea},
      {"scratch", kLinesLayer, 40, RegionKind::kLine, RegionKind::kLine},
      {"crack", kStaticLayer, 40, RegionKind::kLine, RegionKind::kLine},
  };
  for (const Case& c : cases) {
    DefectRegion region{
        .kind = c.guessed, .length_px = c.length_px, .family = std::string(c.family)};
    CorrectKindByFamily(kObject, region);
    EXPECT_EQ(region.kind, c.kind) << c.name;
  }
}

TEST(Regions, AreNoneInAnEmptyMask) {
  const RegionMap map = Find(Draw({"....", "...."}));
  EXPECT_EQ(map.found, 0);
  EXPECT_TRUE(map.regions.empty());
  EXPECT_THAT(Ids(map.labels), ElementsAre("....", "...."));
}

TEST(Regions, AreOneWhenEverythingIsMarked) {
  const RegionMap map = Find(Draw({"####", "####"}));
  EXPECT_EQ(map.found, 1);
  EXPECT_EQ(map.regions[0].area_px, 8);
}

/// A mask of `count` lone pixels, every other one of every other row.
Plane Specks(int count) {
  const Size size{600, 2 * (count / 300 + 1)};
  Plane plane = Plane::Host(size, PixelType::kU8);
  AsMat(plane).setTo(0);
  for (int i = 0; i < count; ++i) AsMat(plane).at<std::uint8_t>(2 * (i / 300), 2 * (i % 300)) = 255;
  return plane;
}

TEST(Regions, ListTheLargestAndLabelAll) {
  const RegionMap map = Find(Specks(1000));
  EXPECT_EQ(map.found, 1000);
  EXPECT_EQ(map.regions.size(), static_cast<std::size_t>(kListedRegions));
  EXPECT_EQ(map.regions.back().id, kListedRegions);
  EXPECT_EQ(map.labels.Row<std::int32_t>(0)[0], 1);
  EXPECT_EQ(AsMat(map.labels).at<std::int32_t>(6, 2 * 99), 1000);
}

TEST(Regions, ShareTheLastIdBeyondSixteenBits) {
  const RegionMap map = Find(Specks(kLastRegionId + 300));
  EXPECT_EQ(map.found, kLastRegionId + 300);
  double largest = 0;
  cv::Mat labels;
  AsMat(map.labels).convertTo(labels, CV_64F);
  cv::minMaxLoc(labels, nullptr, &largest);
  EXPECT_EQ(largest, kLastRegionId);
  EXPECT_EQ(cv::countNonZero(AsMat(map.labels) == kLastRegionId), 301);
}

}  // namespace
}  // namespace glint
