// SPDX-License-Identifier: Apache-2.0
#include "analyse/region_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <opencv2/core.hpp>

#include "analyse/cpu_stages.h"
#include "analyse/detection.h"
#include "analyse/evidence_score.h"
#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/searches/static_lines.h"
#include "analyse/photometric_drawing.h"

namespace glint {
namespace {

using photometric::Filled;
using testing::AllOf;
using testing::Gt;
using testing::Lt;
using testing::Optional;

constexpr Size kObject{120, 90};
const cv::Rect kStain(40, 30, 24, 20);
constexpr int kOne = 1 << ClassicFusionStage::kScoreBits;
constexpr Homography kSame{1, 0, 0, 0, 1, 0, 0, 0, 1};

/// A view of paper of brightness `paper` with a stain of brightness `stain`.
void AddView(int paper, int stain, ViewStack& views) {
  const Plane grey = Filled(kObject, PixelType::kU8, paper);
  AsMat(grey)(kStain).setTo(stain);
  views.greys.push_back(grey);
  views.valid.push_back(Filled(kObject, PixelType::kU8, 255));
  views.sources.push_back({.frame = 100 + 7 * std::ssize(views.sources)});
}

RegionMap StainAlone() {
  const Plane mask = Filled(kObject, PixelType::kU8, 0);
  AsMat(mask)(kStain).setTo(255);
  CpuStages cpu(1);
  return *FindRegions(mask, Filled(kObject, PixelType::kS32, 0), {}, kSame, cpu.stages);
}

absl::StatusOr<std::vector<RegionVisibility>> Show(const ViewStack& views, const RegionMap& map,
                                                   int threads = 2) {
  CpuStages cpu(threads);
  return FindRegionVisibility(views, map.labels, map.regions, cpu.stages, cpu.pool);
}

TEST(RegionViews, CountsTheViewsThatShowARegionWhateverTheirExposure) {
  ViewStack views;
  for (const int paper : {100, 140, 180, 220}) AddView(paper, paper * 8 / 10, views);
  AddView(200, 150, views);  // stands out most
  AddView(200, 200, views);  // something pale lay on it
  AddView(150, 30, views);   // a shadow fell on it alone
  const auto visibilities = Show(views, StainAlone());
  ASSERT_THAT(visibilities, IsOk());
  ASSERT_EQ(visibilities->size(), 1U);
  const RegionVisibility& stain = visibilities->front();
  EXPECT_EQ(stain.seen, 7);
  EXPECT_EQ(stain.shown, 5);
  EXPECT_EQ(stain.best, 4);
  EXPECT_DOUBLE_EQ(stain.Share(), 5.0 / 7);
  DefectRegion region;
  Describe(stain, views, region);
  EXPECT_EQ(region.views, 5);
  EXPECT_EQ(region.best_frame, 128);
  EXPECT_THAT(region.confidence, Optional(5.0 / 7));
}

TEST(RegionViews, LeavesOutViewsThatDoNotSeeHalfOfIt) {
  ViewStack views;
  for (int i = 0; i < 4; ++i) AddView(180, 120 - 10 * i, views);
  AsMat(views.valid[3])(cv::Rect(0, 0, kStain.x + kStain.width / 2 + 1, 90)).setTo(0);
  AsMat(views.valid[2])(cv::Rect(0, 0, kStain.x + kStain.width / 2 - 1, 90)).setTo(0);
  const auto visibilities = Show(views, StainAlone());
  ASSERT_THAT(visibilities, IsOk());
  EXPECT_EQ(visibilities->front().seen, 3);
  EXPECT_EQ(visibilities->front().best, 2);
  for (const Plane& valid : views.valid) AsMat(valid).setTo(0);
  const auto unseen = Show(views, StainAlone());
  ASSERT_THAT(unseen, IsOk());
  EXPECT_EQ(unseen->front().Share(), 0);
}

TEST(RegionViews, ComparesARegionWithNoOtherRegion) {
  const Plane mask = Filled(kObject, PixelType::kU8, 0);
  AsMat(mask)(kStain).setTo(255);
  AsMat(mask)(cv::Rect(kStain.x + kStain.width + 1, 0, 30, 90)).setTo(255);
  CpuStages cpu(1);
  const auto map = FindRegions(mask, Filled(kObject, PixelType::kS32, 0), {}, kSame, cpu.stages);
  ASSERT_THAT(map, IsOk());
  ViewStack views;
  for (int i = 0; i < 3; ++i) AddView(180, 120, views);
  for (const Plane& grey : views.greys) AsMat(grey)(cv::Rect(65, 0, 30, 90)).setTo(9);
  const auto visibilities = Show(views, *map);
  ASSERT_THAT(visibilities, IsOk());
  EXPECT_EQ((*visibilities)[1].shown, 3);  // the stain, the smaller one
  AsMat(views.greys[1])(cv::Rect(65, 0, 30, 90)).setTo(250);
  const auto again = Show(views, *map);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ((*again)[1].shown, 3);
}

TEST(RegionViews, AreSurerTheFurtherEvidenceIsOverItsThreshold) {
  EXPECT_DOUBLE_EQ(Margin(9, 9), 0.5);
  EXPECT_DOUBLE_EQ(Margin(18, 9), 0.75);
  EXPECT_DOUBLE_EQ(Margin(90, 9), 0.95);
  EXPECT_EQ(Margin(4.5, 9), 0);
  EXPECT_EQ(Margin(0, 9), 0);
}

/// A card whose scratch glints in every fourth view, and which lost a corner.
ViewStack ScratchedCard() {
  constexpr int kAround = photometric::kBackgroundMargin;
  cv::Mat ink(260, 220, CV_8U, cv::Scalar(190));
  for (int i = 0; i < 9; ++i) ink(cv::Rect(20, 20 + 25 * i, 180, 3)).setTo(60);
  cv::Mat corner(ink.size(), CV_8U, cv::Scalar(0));
  for (int y = 0; y < 30; ++y) corner(cv::Rect(190 + y, y, 30 - y, 1)).setTo(255);
  ViewStack views;
  cv::RNG random(5);
  for (int i = 0; i < 40; ++i) {
    cv::Mat view, noise(ink.size(), CV_32F);
    ink.convertTo(view, CV_32F, 0.8 + 0.004 * i);
    if (i % 4 == 1) view(cv::Rect(60, 40, 2, 150)) += i == 21 ? 40 : 25;
    const int grey_of_corner = 60 + i / 4;
    view.setTo(grey_of_corner, corner);
    random.fill(noise, cv::RNG::NORMAL, 0, 1.2);
    view += noise;
    cv::Mat grey;
    view.convertTo(grey, CV_8U);
    views.greys.push_back(AsPlane(grey));
    views.valid.push_back(Filled({220, 260}, PixelType::kU8, 255));
    views.sources.push_back({.frame = std::int64_t{10} * i});
  }
  cv::Mat colour(260 + 2 * kAround, 220 + 2 * kAround, CV_8UC3, photometric::kDesk);
  cv::Mat(260, 220, CV_8UC3, photometric::kPaper)
      .copyTo(colour(cv::Rect(kAround, kAround, 220, 260)), corner == 0);
  views.colour = AsPlane(colour);
  return views;
}

TEST(RegionViews, NameFamilyConfidenceAndBestFrameOfEveryRegion) {
  const ViewStack views = ScratchedCard();
  CpuStages cpu(3);
  const auto found =
      DetectPhotometricDamage(views, {.worn_corners = false}, kSame, cpu.stages, cpu.pool, {});
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->regions.regions.size(), 2U);
  const bool corner_first = found->regions.regions[0].family == kOutlineLayer;
  const DefectRegion& corner = found->regions.regions[corner_first ? 0 : 1];
  const DefectRegion& scratch = found->regions.regions[corner_first ? 1 : 0];
  EXPECT_EQ(corner.family, kOutlineLayer);
  EXPECT_GE(corner.views, 38);
  EXPECT_THAT(corner.confidence, Optional(Gt(0.9)));
  EXPECT_EQ(corner.kind, RegionKind::kEdgeLoss);
  EXPECT_EQ(corner.strength, 1);
  const cv::Mat gone = AsMat(found->layers[1].mask);
  EXPECT_EQ(cv::countNonZero((AsMat(found->score) != kOne) & gone), 0);
  EXPECT_EQ(scratch.kind, RegionKind::kLine);
  EXPECT_THAT(scratch.strength, AllOf(Gt(0.2), Lt(1)));
  EXPECT_EQ(scratch.family, kLinesLayer);
  EXPECT_GE(scratch.views, 10);
  EXPECT_EQ(scratch.best_frame, 210);
  EXPECT_THAT(scratch.confidence, Optional(AllOf(Gt(0.5), Lt(1.0))));

  CpuStages alone(1);
  const auto same =
      DetectPhotometricDamage(views, {.worn_corners = false}, kSame, alone.stages, alone.pool, {});
  ASSERT_THAT(same, IsOk());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found->regions.regions[i].confidence, same->regions.regions[i].confidence);
    EXPECT_EQ(found->regions.regions[i].best_frame, same->regions.regions[i].best_frame);
  }
}

TEST(RegionViews, AreAsStrongAsWhatGaveThemAway) {
  cv::Mat truth;
  const ViewStack views = photometric::FilmedStone({220, 260}, &truth);
  CpuStages cpu(3);
  const PhotometricOptions bare{.outline = false, .worn_corners = false};
  PhotometricOptions with_static = bare;
  with_static.static_lines = true;
  const auto found = DetectPhotometricDamage(views, with_static, kSame, cpu.stages, cpu.pool, {});
  ASSERT_THAT(found, IsOk());
  ASSERT_FALSE(found->regions.regions.empty());
  const DefectRegion& crack = found->regions.regions[0];
  EXPECT_EQ(crack.family, kStaticLayer);
  EXPECT_EQ(crack.kind, RegionKind::kLine);
  EXPECT_GT(crack.strength,
            photometric::StaticLineParams{}.paths.min_peak_levels / kStrongestEvidence);
  const auto lines_alone = DetectPhotometricDamage(views, bare, kSame, cpu.stages, cpu.pool, {});
  ASSERT_THAT(lines_alone, IsOk());
  EXPECT_GT(cv::mean(AsMat(found->score), truth)[0],
            3 * cv::mean(AsMat(lines_alone->score), truth)[0]);
  EXPECT_EQ(cv::countNonZero(AsMat(found->score) < AsMat(lines_alone->score)), 0);
}

}  // namespace
}  // namespace glint
