// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/wide_folds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <opencv2/imgproc.hpp>

#include "analyse/cpu_stages.h"
#include "analyse/photometric/detect.h"
#include "analyse/photometric_drawing.h"
#include "stages/shared/photometric_arithmetic.h"
#include "support/plane_compare.h"
#include "support/stored.h"

namespace glint::photometric {
namespace {

using testing::ElementsAre;

constexpr Size kSmall{64, 48};
constexpr int kRow = 24;
constexpr int kViews = 20;

Plane LineAlongRow() {
  Plane ids = Filled(kSmall, PixelType::kS32, 0);
  for (int x = 8; x < 56; ++x) ids.Row<std::int32_t>(kRow)[x] = 1;
  return ids;
}

/// Residuals whose rows differ: `grey(view, distance from the line)`.
std::vector<StoredPlane> ResidualsAcross(const std::function<double(int, int)>& grey) {
  std::vector<Plane> residuals;
  for (int view = 0; view < kViews; ++view) {
    Plane& plane = residuals.emplace_back(Plane::Host(kSmall, PixelType::kS16));
    for (int y = 0; y < kSmall.height; ++y) {
      std::fill_n(plane.Row<std::int16_t>(y), kSmall.width,
                  static_cast<std::int16_t>(std::lround(grey(view, y - kRow) * kGrey)));
    }
  }
  return Stored(residuals);
}

std::vector<bool> Kept(const std::function<double(int, int)>& grey) {
  std::vector<bool> chosen{true};
  KeepFolds(LineAlongRow(), Filled(kSmall, PixelType::kU8, 0), ResidualsAcross(grey), {}, chosen);
  return chosen;
}

double Swing(int view) { return std::sin(0.7 * view); }

TEST(KeepFolds, KeepsALineOfWhichOneSideIsLitWhereTheOtherIsShaded) {
  EXPECT_THAT(
      Kept([](int view, int away) { return away * std::exp(-away * away / 50.0) * Swing(view); }),
      ElementsAre(true));
}

TEST(KeepFolds, DropsALineThatShinesOnBothSidesAlike) {
  EXPECT_THAT(
      Kept([](int view, int away) { return 3 * std::exp(-away * away / 50.0) * Swing(view); }),
      ElementsAre(false));
}

TEST(KeepFolds, DropsALineOfWhichOneSideAnswersMuchLess) {
  EXPECT_THAT(Kept([](int view, int away) {
                return (away > 0 ? 3.0 : -1.5) * std::exp(-away * away / 50.0) * Swing(view);
              }),
              ElementsAre(false));
}

TEST(KeepFolds, DropsWhatIsTooFaintToSay) {
  EXPECT_THAT(Kept([](int view, int away) { return 0.02 * away * Swing(view); }),
              ElementsAre(false));
}

TEST(KeepFolds, ChoosesNothingThatWasNotChosen) {
  std::vector<bool> chosen{false};
  KeepFolds(LineAlongRow(), Filled(kSmall, PixelType::kU8, 0),
            ResidualsAcross([](int view, int away) { return away * Swing(view); }), {}, chosen);
  EXPECT_THAT(chosen, ElementsAre(false));
}

TEST(NewLines, LeavesOutWhatIsMarkedAtFullSize) {
  const Plane ids = LineAlongRow();
  Plane marked = Filled({2 * kSmall.width, 2 * kSmall.height}, PixelType::kU8, 0);
  EXPECT_THAT(NewLines(ids, 1, 2, marked, {}), ElementsAre(true));
  AsMat(marked).rowRange(2 * kRow - 4, 2 * kRow - 1).setTo(255);
  EXPECT_THAT(NewLines(ids, 1, 2, marked, {}), ElementsAre(false));
}

TEST(ShrunkGrey, IsTheMeanOfBlocksAsOpenCvHasIt) {
  cv::Mat grey(31, 45, CV_8U), expected;
  cv::RNG(5).fill(grey, cv::RNG::UNIFORM, 0, 256);
  cv::resize(grey(cv::Rect(0, 0, 44, 30)), expected, {22, 15}, 0, 0, cv::INTER_AREA);
  EXPECT_TRUE(SameBytes(ShrunkGrey(AsPlane(grey), 2), AsPlane(expected)));
}

TEST(ShrunkMask, HoldsWhatIsWholeOnly) {
  Plane mask = Filled({6, 4}, PixelType::kU8, 255);
  mask.Row<std::uint8_t>(1)[2] = 0;
  const Plane small = ShrunkMask(mask, 2);
  EXPECT_EQ(small.Row<std::uint8_t>(0)[0], 255);
  EXPECT_EQ(small.Row<std::uint8_t>(0)[1], 0);
  EXPECT_EQ(CountMarked(small), 5);
}

/// Views of blots under a light that sways, over a soft roof of 60 px from slope to slope.
/// @param truth  gets the ridge, 3 px wide
ViewStack FoldedSheet(double steepness, cv::Mat* truth) {
  constexpr int kWidth = 480, kHeight = 336;
  cv::RNG random(5);
  cv::Mat ink(kHeight, kWidth, CV_32F, cv::Scalar(170)), noise(ink.size(), CV_32F);
  for (int i = 0; i < 30; ++i) {
    cv::ellipse(ink, {random.uniform(0, kWidth), random.uniform(0, kHeight)},
                {random.uniform(8, 50), random.uniform(8, 50)}, random.uniform(0, 180), 0, 360,
                cv::Scalar(random.uniform(40, 220)), cv::FILLED);
  }
  cv::GaussianBlur(ink, ink, {}, 1);
  *truth = cv::Mat(ink.size(), CV_8U, cv::Scalar(0));
  cv::line(*truth, {210, 50}, {270, 286}, cv::Scalar(255), 3);
  ViewStack stack;
  for (int i = 0; i < 40; ++i) {
    cv::Mat view = ink.clone(), grey;
    random.fill(noise, cv::RNG::NORMAL, 0, 1.5);
    for (int y = 50; y <= 286; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const double away = (x - 210 - (y - 50) / 4.0) / 15;
        view.at<float>(y, x) *= static_cast<float>(1 + steepness * std::sin(0.37 * i) * away *
                                                           std::exp(0.5 - away * away / 2));
      }
    }
    cv::Mat(view + noise).convertTo(grey, CV_8U);
    stack.greys.push_back(AsPlane(grey));
    stack.valid.push_back(Filled({kWidth, kHeight}, PixelType::kU8, 255));
  }
  return stack;
}

TEST(DetectPhotometric, FindsAFoldThatIsTooWideForLines) {
  cv::Mat truth;
  CpuStages cpu(2);
  const ViewStack views = FoldedSheet(0.1, &truth);
  const auto found = DetectPhotometric(views, {.outline = false, .worn_corners = false}, {},
                                       cpu.stages, cpu.pool, {});
  ASSERT_THAT(found, IsOk());
  int rows = 0;
  for (int y = 50; y <= 286; ++y) {
    const cv::Mat row = AsMat(found->lines).row(y);
    const int middle = 210 + (y - 50) / 4;
    rows += cv::countNonZero(row.colRange(middle - 40, middle + 40)) > 0 ? 1 : 0;
    EXPECT_EQ(cv::countNonZero(row.colRange(0, middle - 60)), 0) << y;
  }
  EXPECT_GE(rows, 0.8 * 237);

  PhotometricParams lines_only;
  lines_only.wide_folds.shrink = 1;
  const auto without = DetectPhotometric(views, {.outline = false, .worn_corners = false},
                                         lines_only, cpu.stages, cpu.pool, {});
  ASSERT_THAT(without, IsOk());
  EXPECT_LT(CountMarked(without->lines), CountMarked(found->lines) / 2);
}

TEST(DetectPhotometric, MarksNothingOnAFlatSheet) {
  cv::Mat truth;
  CpuStages cpu(2);
  const auto found =
      DetectPhotometric(FoldedSheet(0, &truth), {.outline = false, .worn_corners = false}, {},
                        cpu.stages, cpu.pool, {});
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(CountMarked(found->lines), 0);
}

}  // namespace
}  // namespace glint::photometric
