// SPDX-License-Identifier: Apache-2.0
// The `photometric` detector as a whole, on a drawn card under a moving light.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "analyse/cpu_stages.h"
#include "analyse/photometric/detect.h"
#include "analyse/photometric/masks.h"
#include "analyse/photometric/outline.h"
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
  cv::Mat colour(kCard.height + 2 * kSurroundings, kCard.width + 2 * kSurroundings, CV_8UC3, kDesk);
  cv::Mat printed;
  cv::cvtColor(ink, printed, cv::COLOR_GRAY2RGB);
  printed.copyTo(colour(cv::Rect(kSurroundings, kSurroundings, kCard.width, kCard.height)));
  stack.colour = AsPlane(colour);
  return stack;
}

absl::StatusOr<PhotometricResult> Detect(const ViewStack& views, int threads) {
  CpuStages cpu(threads);
  return DetectPhotometric(views, {}, cpu.stages, cpu.pool, {});
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
  EXPECT_EQ(CountMarked(result->known), CountMarked(result->surface));
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

TEST(DetectPhotometric, StopsWhenCancelledAndRefusesWhatDoesNotFit) {
  ViewStack views = FilmedCard(false, nullptr);
  CpuStages cpu(1);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(DetectPhotometric(views, {}, cpu.stages, cpu.pool, CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, testing::_));
  views.colour = {};
  EXPECT_THAT(DetectPhotometric(views, {}, cpu.stages, cpu.pool, {}),
              FailsWith(Reason::kInvalidOption, HasSubstr("colour")));
  EXPECT_THAT(DetectPhotometric(views, {.outline = false}, cpu.stages, cpu.pool, {}), IsOk());
  EXPECT_THAT(DetectPhotometric({}, {.outline = false}, cpu.stages, cpu.pool, {}),
              FailsWith(Reason::kInvalidOption, HasSubstr("no view")));
}

}  // namespace
}  // namespace glint::photometric
