// SPDX-License-Identifier: Apache-2.0
// The `photometric` detector as a whole, on a drawn card under a moving light.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "analyse/cpu_stages.h"
#include "analyse/detection.h"
#include "analyse/item_types.h"
#include "analyse/photometric/detect.h"
#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/pixels/masks.h"
#include "analyse/photometric/scene/light.h"
#include "analyse/photometric_drawing.h"
#include "support/plane_compare.h"

namespace glint::photometric {
namespace {

using testing::HasSubstr;

constexpr Size kCard{220, 260};

/// Views of a printed card under a moving light; lines of ink everywhere, and one that glints.
ViewStack FilmedCard(bool scratched, cv::Mat* truth) {
  cv::Mat ink(kCard.height, kCard.width, CV_8U, cv::Scalar(190));
  for (int i = 0; i < 9; ++i) {
    cv::line(ink, {15, 20 + 25 * i}, {200, 28 + 25 * i}, cv::Scalar(60), 2);
    cv::circle(ink, {30 + 20 * i, 130}, 14, cv::Scalar(90 + 10 * i), cv::FILLED);
  }
  cv::Mat scratch(ink.size(), CV_8U, cv::Scalar(0));
  cv::line(scratch, {60, 60}, {150, 200}, cv::Scalar(255), 2);
  if (truth != nullptr) *truth = scratch;
  ViewStack stack;
  cv::RNG random(11);
  for (int i = 0; i < 48; ++i) {
    cv::Mat view, noise(ink.size(), CV_32F);
    ink.convertTo(view, CV_32F, 0.7 + 0.006 * i, 0.3 * (i % 12));
    if (scratched && i % 12 >= 4 && i % 12 < 9) view.setTo(view.at<float>(0, 0) + 14, scratch);
    random.fill(noise, cv::RNG::NORMAL, 0, 1.2);
    cv::GaussianBlur(view, view, {}, 0.8);
    view += noise;
    cv::Mat grey;
    view.convertTo(grey, CV_8U);
    stack.greys.push_back(AsPlane(grey));
    stack.valid.push_back(Filled(kCard, PixelType::kU8, 255));
  }
  cv::Mat colour(kCard.height + 2 * kBackgroundMargin, kCard.width + 2 * kBackgroundMargin, CV_8UC3,
                 kDesk);
  cv::Mat printed;
  cv::cvtColor(ink, printed, cv::COLOR_GRAY2RGB);
  printed.copyTo(colour(cv::Rect(kBackgroundMargin, kBackgroundMargin, kCard.width, kCard.height)));
  stack.colour = AsPlane(colour);
  return stack;
}

absl::StatusOr<PhotometricResult> Detect(const ViewStack& views, int threads) {
  CpuStages cpu(threads);
  return DetectPhotometric(views, {}, {}, cpu.stages, cpu.pool, {});
}

TEST(DetectPhotometric, FindsAScratchThatGlintsAmongLinesOfInk) {
  cv::Mat truth;
  const ViewStack views = FilmedCard(true, &truth);
  const auto result = Detect(views, 2);
  ASSERT_THAT(result, IsOk());
  cv::Mat near_truth, near_mask;
  cv::dilate(truth, near_truth, Disc(5));  // the filters reach beyond a line's ends
  cv::dilate(AsMat(result->lines), near_mask, Disc(3));
  EXPECT_GE(cv::countNonZero(truth & near_mask), 0.95 * cv::countNonZero(truth));
  EXPECT_GE(CountBoth(result->lines, near_truth), 0.95 * CountMarked(result->lines));
  EXPECT_EQ(CountMarked(result->outline), 0);
  EXPECT_EQ(CountMarked(result->known), kCard.width * kCard.height);
  EXPECT_TRUE(result->static_lines.empty());
  ASSERT_EQ(result->found.size(), 1U);
  const PhotometricLine& line = result->found[0];
  EXPECT_EQ(line.seen, 48);
  EXPECT_GE(line.shown, 20);  // in 20 views it is brighter; the median lies between
  EXPECT_GE(line.best_view % 12, 4);
  EXPECT_LT(line.best_view % 12, 9);
  EXPECT_GT(line.path.length, 150);
}

TEST(DetectPhotometric, MarksNothingOnACleanCard) {
  const auto result = Detect(FilmedCard(false, nullptr), 2);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(CountMarked(result->lines), 0);
  EXPECT_EQ(CountMarked(result->outline), 0);
  EXPECT_TRUE(result->found.empty());
  EXPECT_NEAR(std::sqrt(result->noise.base), 0.5, 0.25);  // of 1.2, smoothed, with its median taken
}

TEST(DetectPhotometric, GivesTheSameBytesForAnyNumberOfThreads) {
  const ViewStack views = FilmedCard(true, nullptr);
  const auto one = Detect(views, 1);
  ASSERT_THAT(one, IsOk());
  for (const int threads : {2, 5}) {
    const auto several = Detect(views, threads);
    ASSERT_THAT(several, IsOk());
    EXPECT_TRUE(SameBytes(several->lines, one->lines));
    EXPECT_TRUE(SameBytes(several->outline, one->outline));
    EXPECT_TRUE(SameBytes(several->energy, one->energy));
    EXPECT_TRUE(SameBytes(several->line_ids, one->line_ids));
    EXPECT_EQ(several->found[0].shown, one->found[0].shown);
    EXPECT_EQ(several->found[0].best_view, one->found[0].best_view);
  }
}

TEST(DetectPhotometric, KnowsWhereTooFewViewsSeeTheObject) {
  ViewStack views = FilmedCard(true, nullptr);
  for (std::size_t i = 4; i < views.valid.size(); ++i) {
    Plane valid = Filled(kCard, PixelType::kU8, 255);
    AsMat(valid)(cv::Rect(0, 0, kCard.width, 100)).setTo(0);
    views.valid[i] = valid;
  }
  const auto result = Detect(views, 1);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(cv::countNonZero(AsMat(result->known)(cv::Rect(0, 0, kCard.width, 100))), 0);
  EXPECT_EQ(result->known.Row<std::uint8_t>(150)[100], 255);
}

/// A fold whose flanks lie `apart` px from each other: one shines where the other is in the shade.
ViewStack FoldedCard(int apart, bool same_way, cv::Mat* between) {
  ViewStack views = FilmedCard(false, nullptr);
  *between = cv::Mat(kCard.height, kCard.width, CV_8U, cv::Scalar(0));
  cv::rectangle(*between, {70, 100}, {70 + apart, 220}, cv::Scalar(255), cv::FILLED);
  for (std::size_t i = 0; i < views.greys.size(); ++i) {
    const int light = static_cast<int>(20 * std::sin(0.5 * static_cast<double>(i)));
    for (const int flank : {0, 1}) {
      cv::Mat part = AsMat(views.greys[i])(cv::Rect(69 + flank * apart, 100, 3, 120));
      part += cv::Scalar((flank == 0 || same_way) ? light : -light);
    }
  }
  return views;
}

TEST(DetectPhotometric, DrawsAWideCreaseAsOneRegionAndTwoScratchesAsTwo) {
  for (const bool same_way : {false, true}) {
    SCOPED_TRACE(same_way);
    cv::Mat between, labels;
    const auto result = Detect(FoldedCard(16, same_way, &between), 2);
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(result->found.size(), 2U);
    const int regions = cv::connectedComponents(AsMat(result->lines), labels, 8) - 1;
    EXPECT_EQ(regions, same_way ? 2 : 1);
    const int covered = CountBoth(result->lines, between);
    const int whole = cv::countNonZero(between);
    if (same_way) {
      EXPECT_LE(covered, 0.5 * whole);
    } else {
      EXPECT_GE(covered, 0.9 * whole);
    }
  }
}

TEST(DetectPhotometric, FindsACrackInABareSurfaceWhenAskedForStaticLines) {
  cv::Mat truth, near_truth;
  const ViewStack views = FilmedStone(kCard, &truth);
  const PhotometricOptions bare{.outline = false, .worn_corners = false, .static_lines = true};
  std::vector<Plane> masks;
  for (const int threads : {1, 3}) {
    CpuStages cpu(threads);
    const auto result = DetectPhotometric(views, bare, {}, cpu.stages, cpu.pool, {});
    ASSERT_THAT(result, IsOk());
    masks.push_back(result->static_lines);
  }
  EXPECT_TRUE(SameBytes(masks[0], masks[1]));
  cv::dilate(truth, near_truth, Disc(8));
  EXPECT_GE(CountBoth(masks[0], truth), 0.9 * cv::countNonZero(truth));
  EXPECT_GE(CountBoth(masks[0], near_truth), 0.9 * CountMarked(masks[0]));
}

TEST(WellExposed, IsNothingOfWhatIsBlackBlownOutOrTiny) {
  ThreadPool pool(2);
  const Size size{80, 70};
  Plane grey = Filled(size, PixelType::kU8, 100);
  grey.Row<std::uint8_t>(3)[5] = 2;
  grey.Row<std::uint8_t>(3)[6] = 3;
  grey.Row<std::uint8_t>(3)[7] = 252;
  grey.Row<std::uint8_t>(3)[8] = 253;
  const Plane shown = Filled(size, PixelType::kU8, 255);
  const std::vector<Plane> greys(5, grey), valid(5, shown);
  const Plane seen = WellExposed(greys, valid, {}, 5, pool);
  EXPECT_EQ(CountMarked(seen), 80 * 70 - 2);
  EXPECT_EQ(seen.Row<std::uint8_t>(3)[5], 0);
  EXPECT_EQ(seen.Row<std::uint8_t>(3)[8], 0);
  EXPECT_EQ(
      CountMarked(WellExposed(std::span(greys).first(4), std::span(valid).first(4), {}, 5, pool)),
      0);
  const Plane tiny = Filled({80, 63}, PixelType::kU8, 100);
  const std::vector<Plane> small(9, tiny);
  EXPECT_EQ(CountMarked(WellExposed(small, small, {}, 5, pool)), 0);
}

TEST(LightChange, TellsALampThatMovesFromOneThatOnlyDims) {
  ThreadPool pool(2);
  const Size size{128, 96};
  std::vector<Plane> dims, moves, valid;
  for (int i = 0; i < 10; ++i) {
    dims.push_back(Filled(size, PixelType::kU8, 60 + 10 * i));
    Plane slanted = Plane::Host(size, PixelType::kU8);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        slanted.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(100 + (i - 5) * (x - 64) / 8);
      }
    }
    moves.push_back(slanted);
    valid.push_back(Filled(size, PixelType::kU8, 255));
  }
  EXPECT_NEAR(LightChange(dims, valid, {}, pool).value(), 0, 1e-6);
  EXPECT_GT(LightChange(moves, valid, {}, pool), 0.05);
  EXPECT_EQ(LightChange(std::span(moves).first(1), valid, {}, pool), std::nullopt);
}

TEST(LightChange, LooksAtWhatMostViewsShowWhereNoneShowsAll) {
  ThreadPool pool(2);
  const Size size{128, 96};
  std::vector<Plane> still, moves, valid;
  for (int i = 0; i < 8; ++i) {
    Plane print = Filled(size, PixelType::kU8, 60), shown = Filled(size, PixelType::kU8, 255);
    AsMat(print).colRange(64, 128).setTo(180);
    AsMat(shown).colRange(32 * (i % 4), 32 * (i % 4) + 32).setTo(0);
    still.push_back(print);
    Plane lit = Filled(size, PixelType::kU8, 0);
    AsMat(print).copyTo(AsMat(lit));
    AsMat(lit).rowRange(0, 48) *= 1 + 0.05 * i;
    moves.push_back(lit);
    valid.push_back(shown);
  }
  EXPECT_NEAR(LightChange(still, valid, {}, pool).value(), 0, 1e-6);
  EXPECT_GT(LightChange(moves, valid, {}, pool), 0.02);
  for (Plane& shown : valid) AsMat(shown).setTo(0);
  EXPECT_EQ(LightChange(still, valid, {}, pool), std::nullopt);
}

TEST(PhotometricOptionsFor, LooksForGapsInAnOutlineThatWasFound) {
  const auto page = FindItemType("page");
  const auto surface = FindItemType("surface");
  ASSERT_TRUE(page.ok() && surface.ok());
  EXPECT_TRUE(PhotometricOptionsFor(**page, true).outline);
  EXPECT_FALSE(PhotometricOptionsFor(**page, false).outline);
  EXPECT_FALSE(PhotometricOptionsFor(**surface, true).outline);
}

TEST(DetectPhotometric, StopsWhenCancelledAndRefusesWhatDoesNotFit) {
  ViewStack views = FilmedCard(false, nullptr);
  CpuStages cpu(1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(DetectPhotometric(views, {}, {}, cpu.stages, cpu.pool, CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, testing::_));
  views.colour = {};
  EXPECT_THAT(DetectPhotometric(views, {}, {}, cpu.stages, cpu.pool, {}),
              FailsWith(Reason::kInternal, HasSubstr("colour")));
  EXPECT_THAT(DetectPhotometric(views, {.outline = false}, {}, cpu.stages, cpu.pool, {}), IsOk());
  EXPECT_THAT(DetectPhotometric({}, {.outline = false}, {}, cpu.stages, cpu.pool, {}),
              FailsWith(Reason::kInternal, HasSubstr("no view")));
}

TEST(DetectPhotometric, AsksForANearerFilmOfAnObjectThatIsTooNarrow) {
  ViewStack views;
  views.greys = {Filled({320, 15}, PixelType::kU8, 100)};
  CpuStages cpu(1);
  EXPECT_THAT(
      DetectPhotometric(views, {.outline = false}, {}, cpu.stages, cpu.pool, {}),
      FailsWith(Reason::kInvalidOption, testing::AllOf(HasSubstr("320x15"), HasSubstr("nearer"))));
}

}  // namespace
}  // namespace glint::photometric
