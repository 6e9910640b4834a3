// SPDX-License-Identifier: Apache-2.0
// The steps of the `photometric` detector, each by itself, on small views drawn for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "analyse/cpu_stages.h"
#include "analyse/photometric/line_steps.h"
#include "analyse/photometric_drawing.h"
#include "base/stored_rows.h"
#include "stages/shared/photometric_arithmetic.h"
#include "support/status_matchers.h"
#include "support/stored.h"

namespace glint::photometric {
namespace {

constexpr Size kSheet{96, 96};
constexpr int kLineRow = 48;

/// Views of a plain sheet that differ in brightness alone: 100, 105, ...
ViewStack PlainSheet(int views) {
  ViewStack stack;
  for (int i = 0; i < views; ++i) {
    stack.greys.push_back(Filled(kSheet, PixelType::kU8, 100 + 5 * i));
    stack.valid.push_back(Filled(kSheet, PixelType::kU8, 255));
  }
  return stack;
}

/// What is known of a plain sheet of grey 100 that `views` views show.
Albedo PlainAlbedo(int views) {
  return {.grey = Filled(kSheet, PixelType::kS16, 100 * kGrey),
          .gradient = Filled(kSheet, PixelType::kS32, 0),
          .curvature = Filled(kSheet, PixelType::kS32, 0),
          .count = Filled(kSheet, PixelType::kU8, views)};
}

/// Residuals of 24 views: noise of one grey, and a line of 3 px at kLineRow, x = 16 .. 79, that is
/// `amplitude` times as bright as sin(0.7 * view).
std::vector<Plane> ResidualsWithLine(double amplitude) {
  std::vector<Plane> residuals;
  cv::RNG random(4);
  for (int i = 0; i < 24; ++i) {
    cv::Mat residual(kSheet.height, kSheet.width, CV_32F), rounded;
    random.fill(residual, cv::RNG::NORMAL, 0, 1);
    residual(cv::Rect(16, kLineRow - 1, 64, 3)) += amplitude * std::sin(0.7 * i);
    residual.convertTo(rounded, CV_16S, kGrey);
    residuals.push_back(AsPlane(rounded));
  }
  return residuals;
}

/// A model that leaves these residuals of a plain sheet.
LightModel ModelOf(const std::vector<Plane>& residuals) {
  const Albedo albedo = PlainAlbedo(static_cast<int>(residuals.size()));
  return {.albedo = albedo, .on_host = albedo, .residuals = Stored(residuals)};
}

SurfaceMasks WholeSurface() {
  return {.gaps = Filled(kSheet, PixelType::kU8, 0),
          .damage = Filled(kSheet, PixelType::kU8, 0),
          .surface = Filled(kSheet, PixelType::kU8, 255)};
}

TEST(DownloadViews, GivesGreysAndValidityOfAllViews) {
  CpuStages cpu(2);
  ViewStack views = PlainSheet(3);
  views.valid[1] = Filled(kSheet, PixelType::kU8, 0);
  const auto host = DownloadViews(views, *cpu.stages.backend);
  ASSERT_THAT(host, IsOk());
  ASSERT_EQ(host->greys.size(), 3U);
  EXPECT_EQ(host->greys[2].Row<std::uint8_t>(3)[4], 110);
  EXPECT_EQ(CountMarked(host->valid[1]), 0);
  EXPECT_EQ(CountMarked(host->valid[2]), kSheet.area());
}

TEST(FindSurface, LeavesOutTheRimAndHasNoGapsWithoutAnOutline) {
  const auto masks = FindSurface(PlainSheet(1), {}, {.outline = false}, {});
  ASSERT_THAT(masks, IsOk());
  EXPECT_EQ(CountMarked(masks->gaps), 0);
  EXPECT_EQ(CountMarked(masks->surface), 90 * 90);
  EXPECT_EQ(masks->surface.Row<std::uint8_t>(3)[3], 255);
}

TEST(FindScene, HasNothingInFrontWithoutThumbnailsAndFailsWhereTheOutlineFails) {
  ThreadPool pool(2);
  ViewStack views = PlainSheet(3);
  const HostViews host{.greys = views.greys, .valid = views.valid};
  const auto scene = FindScene(views, host, {.outline = false}, {}, pool);
  ASSERT_THAT(scene, IsOk());
  EXPECT_TRUE(scene->occluded.views.empty());
  EXPECT_EQ(CountMarked(scene->masks.surface), 90 * 90);
  views.colour = Filled({20, 20}, PixelType::kU8x3, 100);  // no room for an object
  EXPECT_FALSE(FindScene(views, host, {}, {}, pool).ok());
}

TEST(LeaveOutOccluders, TakesThemFromValidityAndSurfaceAndFillsInThePrint) {
  CpuStages cpu(2);
  ViewStack views = PlainSheet(5);
  const cv::Rect finger(24, 24, 16, 16);
  AsMat(views.greys[4])(finger).setTo(7);  // else 120
  Scene scene{.masks = WholeSurface(), .occluded = {}};
  scene.occluded.views.resize(5);
  scene.occluded.views[4] = cv::Mat(12, 12, CV_8U, cv::Scalar(0));
  scene.occluded.views[4](cv::Rect(3, 3, 2, 2)).setTo(255);
  scene.occluded.persistent = cv::Mat(12, 12, CV_8U, cv::Scalar(0));
  scene.occluded.persistent.at<std::uint8_t>(3, 3) = 255;
  const auto host = DownloadViews(views, *cpu.stages.backend);
  ASSERT_THAT(host, IsOk());
  const auto clear = LeaveOutOccluders(views, scene, *host, {}, *cpu.stages.backend, cpu.pool);
  ASSERT_THAT(clear, IsOk());
  EXPECT_EQ(CountMarked(clear->valid[4]), kSheet.area() - finger.area());
  EXPECT_EQ(CountMarked(clear->host.valid[4]), kSheet.area() - finger.area());
  EXPECT_EQ(CountMarked(clear->valid[0]), kSheet.area());
  EXPECT_EQ(CountMarked(clear->surface), kSheet.area() - std::int64_t{8} * 8);
  EXPECT_EQ(cv::countNonZero(AsMat(clear->inpainted[4]) != 120), 0);
  EXPECT_EQ(clear->host.greys[4].Row<std::uint8_t>(30)[30], 7) << "for the albedo alone";
  EXPECT_EQ(CountMarked(views.valid[4]), kSheet.area()) << "what was given has changed";
}

TEST(SubtractLight, LeavesWhatNoGainOfThePrintExplains) {
  CpuStages cpu(2);
  ViewStack views = PlainSheet(7);
  AsMat(views.greys[6])(cv::Rect(16, kLineRow - 1, 64, 3)) +=
      20;  // the brightest: no median changes
  const std::vector<Plane> shown = views.valid;
  views.valid[5] = Filled(kSheet, PixelType::kU8, 255);
  AsMat(views.valid[5])(cv::Rect(0, 0, 40, 40)).setTo(0);
  AsMat(views.greys[5])(cv::Rect(0, 0, 40, 40)).setTo(7);
  std::vector<Plane> inpainted = views.greys;
  inpainted[5] = Filled(kSheet, PixelType::kU8, 125);
  Plane surface = Filled(kSheet, PixelType::kU8, 255);
  AsMat(surface).row(0).setTo(0);
  const auto model =
      SubtractLight(inpainted, shown, {views.greys, views.valid, surface}, {}, cpu.stages);
  ASSERT_THAT(model, IsOk());
  ASSERT_EQ(model->residuals.size(), 7U);
  EXPECT_EQ(model->on_host.grey.Row<std::int16_t>(80)[80], 115 * kGrey);
  EXPECT_EQ(model->on_host.count.Row<std::uint8_t>(10)[10], 7) << "also what is filled in counts";
  EXPECT_EQ(model->on_host.count.Row<std::uint8_t>(0)[10], 0);
  const std::vector<Plane> residuals = WholeOf(model->residuals);
  for (std::size_t i = 0; i < 7; ++i) {
    const int at_line = residuals[i].Row<std::int16_t>(kLineRow)[50];
    if (i == 6) {
      EXPECT_GT(at_line, 15 * kGrey);
      EXPECT_LE(at_line, 20 * kGrey);
    } else {
      EXPECT_NEAR(at_line, 0, kGrey) << "view " << i;
    }
    EXPECT_NEAR(residuals[i].Row<std::int16_t>(85)[50], 0, kGrey) << "view " << i;
  }
  EXPECT_EQ(cv::countNonZero(AsMat(residuals[5])(cv::Rect(0, 0, 40, 40))), 0);
}

TEST(StartSurvey, TellsWhatIsKnownAndThatLightThatOnlyDimsDoesNotChange) {
  ThreadPool pool(2);
  const ViewStack views = PlainSheet(6);
  HostViews host{.greys = views.greys, .valid = views.valid};
  for (const std::size_t i : {0U, 1U}) {  // four views are left, one too few
    host.valid[i] = Filled(kSheet, PixelType::kU8, 255);
    AsMat(host.valid[i])(cv::Rect(0, 0, 96, 16)).setTo(0);
  }
  cv::Mat persistent(12, 12, CV_8U, cv::Scalar(0));
  persistent(cv::Rect(2, 6, 3, 2)).setTo(255);
  const Albedo albedo = PlainAlbedo(6);
  const PhotometricParams params;
  Survey survey;
  StartSurvey(host, albedo, persistent, params, pool, survey).Finish();
  EXPECT_EQ(CountMarked(survey.known), 96 * 80 - 24 * 16);
  EXPECT_EQ(survey.known.Row<std::uint8_t>(50)[20], 0);
  EXPECT_EQ(survey.known.Row<std::uint8_t>(15)[90], 0);
  EXPECT_NEAR(survey.light_change.value(), 0, 0.01);
  EXPECT_EQ(CountMarked(survey.glare), 0);
}

TEST(MeasureNoise, IsTheMedianOfResidualsAndAssumedWhereNothingIsSeen) {
  CpuStages cpu(2);
  const ViewStack views = PlainSheet(9);
  const PhotometricViews all{views.greys, views.valid, Filled(kSheet, PixelType::kU8, 255)};
  std::vector<Plane> residuals;
  residuals.reserve(9);
  for (int i = 0; i < 9; ++i)  // two sparkle
    residuals.push_back(Filled(kSheet, PixelType::kS16, (i < 2 ? 100 : i % 2 ? 2 : -2) * kGrey));
  LightModel model = ModelOf(residuals);
  const auto noise = MeasureNoise(all, model, {}, cpu.stages);
  ASSERT_THAT(noise, IsOk());
  EXPECT_NEAR(noise->base, std::pow(2 / 0.6745, 2), 0.01);  // 0.6745: the normal's median magnitude
  EXPECT_EQ(noise->gradient, 0);
  model.on_host.count = Filled(kSheet, PixelType::kU8, 4);  // fewer than evidence.min_views
  const auto assumed = MeasureNoise(all, model, {}, cpu.stages);
  ASSERT_THAT(assumed, IsOk());
  EXPECT_EQ(assumed->base, ResidualParams{}.assumed_noise.base);
  EXPECT_EQ(assumed->gradient, ResidualParams{}.assumed_noise.gradient);
}

/// Looks for lines in 24 views of a plain sheet.
absl::StatusOr<LineSearch> SearchFor(const LightModel& model, const SurfaceMasks& masks) {
  CpuStages cpu(2);
  const ViewStack views = PlainSheet(24);
  const PhotometricViews all{views.greys, views.valid, Filled(kSheet, PixelType::kU8, 255)};
  HostViews host{.greys = {}, .valid = views.valid};
  for (std::size_t i = 0; i < views.greys.size(); ++i) {  // what the residuals are of
    cv::Mat grey;
    cv::add(AsMat(views.greys[i]), AsMat(model.residuals[i].Whole()) / kGrey, grey, {}, CV_8U);
    host.greys.push_back(AsPlane(grey));
  }
  return SearchLines(all, model, {.base = 1}, masks, host, {}, cpu.stages, cpu.pool);
}

TEST(SearchLines, FindsALineThatAnswersToTheLightWhereEnoughViewsSeeIt) {
  LightModel model = ModelOf(ResidualsWithLine(4));
  const auto found = SearchFor(model, WholeSurface());
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->lines.paths.size(), 1U);
  EXPECT_EQ(found->lines.ids.Row<std::int32_t>(kLineRow)[48], 1);
  EXPECT_EQ(found->directions.Row<std::uint8_t>(kLineRow)[48], 0);
  EXPECT_NEAR(found->lines.paths[0].length, 64, 16);
  EXPECT_GT(found->energy.Row<std::int32_t>(kLineRow)[48], 3 * kEnergyUnit);
  const auto noise = SearchFor(ModelOf(ResidualsWithLine(0)), WholeSurface());
  ASSERT_THAT(noise, IsOk());
  EXPECT_TRUE(noise->lines.paths.empty());
  const cv::Rect around(0, 24, 96, 48);
  AsMat(model.albedo.count)(around).setTo(4);  // one view too few
  const auto unseen = SearchFor(model, WholeSurface());
  ASSERT_THAT(unseen, IsOk());
  EXPECT_EQ(cv::countNonZero(AsMat(unseen->lines.ids)(around)), 0);
}

TEST(SearchLines, AsksMoreOfALineAlongTheRim) {
  const LightModel model = ModelOf(ResidualsWithLine(4));
  SurfaceMasks masks = WholeSurface();
  const auto inside = SearchFor(model, masks);
  AsMat(masks.surface)(cv::Rect(0, 0, 96, kLineRow - 5)).setTo(0);
  const auto along = SearchFor(model, masks);
  ASSERT_THAT(inside, IsOk());
  ASSERT_THAT(along, IsOk());
  ASSERT_EQ(inside->lines.paths.size(), 1U);
  ASSERT_EQ(along->lines.paths.size(), 1U);
  EXPECT_EQ(inside->lines.paths[0].needed, LineParams{}.paths.min_score);
  EXPECT_EQ(along->lines.paths[0].needed, LineParams{}.paths.min_rim_score);
}

TEST(SearchStaticLines, FindsADarkLineOfTheAlbedoAndNothingInGrain) {
  CpuStages cpu(2);
  cv::Mat grain(200, 200, CV_32F), grey;
  cv::RNG(3).fill(grain, cv::RNG::NORMAL, 120, 8);
  SurfaceMasks masks;
  masks.gaps = Filled({200, 200}, PixelType::kU8, 0);
  masks.surface = Filled({200, 200}, PixelType::kU8, 255);
  Albedo albedo;
  albedo.count = Filled({200, 200}, PixelType::kU8, 20);
  grain.convertTo(grey, CV_16S, kGrey);
  albedo.grey = AsPlane(grey);
  const auto bare = SearchStaticLines(albedo, masks, {}, cpu.stages, cpu.pool);
  ASSERT_THAT(bare, IsOk());
  EXPECT_EQ(CountMarked(bare->mask), 0);

  grain(cv::Rect(40, 99, 120, 3)) -= 25;
  cv::Mat cracked;
  grain.convertTo(cracked, CV_16S, kGrey);
  albedo.grey = AsPlane(cracked);
  const auto found = SearchStaticLines(albedo, masks, {}, cpu.stages, cpu.pool);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(cv::countNonZero(AsMat(found->mask)(cv::Rect(50, 100, 100, 1))), 100);
  EXPECT_EQ(cv::countNonZero(AsMat(found->mask)(cv::Rect(0, 0, 200, 80))), 0);
  EXPECT_EQ(cv::countNonZero(AsMat(found->mask)(cv::Rect(0, 120, 200, 80))), 0);
  EXPECT_GT(found->energy.Row<std::int32_t>(100)[100], 4 * kEnergyUnit);
}

TEST(DrawWideLines, SaysHowWideALineIsAndWhichViewsShowIt) {
  CpuStages cpu(2);
  const ViewStack views = PlainSheet(24);
  LineSearch search;
  search.directions = Filled(kSheet, PixelType::kU8, 0);
  search.lines.ids = Filled(kSheet, PixelType::kS32, 0);
  search.lost_ink = Filled(kSheet, PixelType::kU8, 0);
  AsMat(search.lost_ink)(cv::Rect(30, kLineRow, 4, 6)).setTo(255);
  AsMat(search.lost_ink)(cv::Rect(60, kLineRow + 8, 4, 1)).setTo(255);
  AsMat(search.lines.ids)(cv::Rect(16, kLineRow, 64, 1)).setTo(1);
  search.lines.paths = {{.box = {}, .pixels = 64}};
  const std::vector<Plane> residuals = ResidualsWithLine(8);
  AsMat(residuals[10])(cv::Rect(16, kLineRow - 1, 64, 3)) = cv::Scalar(-30 * kGrey);
  const LightModel model = ModelOf(residuals);
  const auto drawn =
      DrawWideLines(model, views.valid, {.base = 1}, {}, *cpu.stages.backend, cpu.pool, search);
  ASSERT_THAT(drawn, IsOk());
  ASSERT_EQ(drawn->found.size(), 1U);
  EXPECT_EQ(drawn->found[0].seen, 24);
  EXPECT_EQ(drawn->found[0].best_view, 10);
  int shown = 1;  // view 10
  for (int i = 0; i < 24; ++i) shown += i != 10 && std::abs(8 * std::sin(0.7 * i)) >= 1 ? 1 : 0;
  EXPECT_EQ(drawn->found[0].shown, shown);
  EXPECT_NEAR(drawn->found[0].width, 3, 1);
  EXPECT_EQ(cv::countNonZero(AsMat(drawn->mask)(cv::Rect(20, kLineRow - 1, 56, 3))), 56 * 3);
  EXPECT_EQ(cv::countNonZero(AsMat(drawn->mask)(cv::Rect(0, 0, 96, kLineRow - 4))), 0);
  EXPECT_EQ(cv::countNonZero(AsMat(drawn->mask)(cv::Rect(30, kLineRow + 5, 4, 1))), 4);
  EXPECT_EQ(cv::countNonZero(AsMat(drawn->mask)(cv::Rect(60, kLineRow + 8, 4, 1))), 0) << "loose";

  search.lost_ink = Filled(kSheet, PixelType::kU8, 0);
  search.lines.ids = Filled(kSheet, PixelType::kS32, 0);
  search.lines.paths.clear();
  const auto none =
      DrawWideLines(model, views.valid, {.base = 1}, {}, *cpu.stages.backend, cpu.pool, search);
  ASSERT_THAT(none, IsOk());
  EXPECT_TRUE(none->found.empty());
  EXPECT_EQ(CountMarked(none->mask), 0);
}

TEST(DrawWideLines, LeavesOutWhatNoViewShows) {
  CpuStages cpu(2);
  const ViewStack views = PlainSheet(24);
  constexpr int kPrintRow = kLineRow + 20;
  LineSearch search;
  search.directions = Filled(kSheet, PixelType::kU8, 0);
  search.lines.ids = Filled(kSheet, PixelType::kS32, 0);
  search.lost_ink = Filled(kSheet, PixelType::kU8, 0);
  AsMat(search.lost_ink)(cv::Rect(16, kPrintRow - 1, 64, 3)).setTo(255);
  AsMat(search.lines.ids)(cv::Rect(16, kPrintRow, 64, 1)).setTo(1);
  AsMat(search.lines.ids)(cv::Rect(16, kLineRow, 60, 1)).setTo(2);
  search.lines.paths = {{.box = {}, .pixels = 64}, {.box = {}, .pixels = 60}};
  const LightModel model = ModelOf(ResidualsWithLine(8));
  const auto drawn =
      DrawWideLines(model, views.valid, {.base = 1}, {}, *cpu.stages.backend, cpu.pool, search);
  ASSERT_THAT(drawn, IsOk());
  ASSERT_EQ(drawn->found.size(), 1U);
  EXPECT_EQ(drawn->found[0].path.pixels, 60);
  EXPECT_EQ(search.lines.paths.size(), 1U);
  EXPECT_EQ(search.lines.ids.Row<std::int32_t>(kLineRow)[20], 1) << "numbered anew";
  EXPECT_EQ(cv::countNonZero(AsMat(drawn->mask)(cv::Rect(0, kPrintRow - 4, 96, 9))), 0);
  EXPECT_GT(cv::countNonZero(AsMat(drawn->mask)(cv::Rect(0, kLineRow - 4, 96, 9))), 100);
}

}  // namespace
}  // namespace glint::photometric
