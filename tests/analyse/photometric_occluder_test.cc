// SPDX-License-Identifier: Apache-2.0
// Fingers that reach into the picture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <opencv2/imgproc.hpp>

#include "analyse/cpu_stages.h"
#include "analyse/photometric/detect.h"
#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/scene/inpainting.h"
#include "analyse/photometric/scene/occluders.h"
#include "analyse/photometric_drawing.h"
#include "support/plane_compare.h"

namespace glint::photometric {
namespace {

constexpr Size kPage{320, 400};
constexpr int kViews = 48;
const cv::Scalar kSkin(200, 152, 132);

/// Panels of several colours on white paper.
cv::Mat ColourPage() {
  cv::Mat page(kPage.height, kPage.width, CV_8UC3, cv::Scalar(215, 213, 208));
  cv::rectangle(page, cv::Rect(30, 30, 260, 150), cv::Scalar(60, 50, 90), cv::FILLED);
  cv::rectangle(page, cv::Rect(30, 210, 260, 160), cv::Scalar(190, 160, 80), cv::FILLED);
  for (int i = 0; i < 6; ++i) {
    cv::line(page, {40 + 40 * i, 30}, {70 + 40 * i, 179}, cv::Scalar(30, 30, 35), 3);
    cv::circle(page, {60 + 40 * i, 290}, 15, cv::Scalar(60 + 20 * i, 90, 140), cv::FILLED);
  }
  return page;
}

/// Draws into view `i`, R, G, B in floats.
using Change = std::function<void(int i, cv::Mat& view)>;

/// A finger from the right side up to x.
void DrawFinger(cv::Mat& view, int x, int y) {
  const int scale = 8;  // of the coordinates: fractions of pixels
  cv::line(view, {(kPage.width + 60) * scale, (y + 20) * scale}, {x * scale, y * scale}, kSkin, 44,
           cv::LINE_AA, 3);
}

/// In views 8 to 19 a finger comes and goes.
void FingerIn12Views(int i, cv::Mat& view) {
  if (i < 8 || i >= 20) return;
  DrawFinger(view, 300 - 14 * (6 - std::abs(i - 14)), 190 + 2 * i);
}

ViewStack Film(const Change& change) {
  ViewStack stack;
  cv::RNG random(3);
  cv::Mat middle;
  for (int i = 0; i < kViews; ++i) {
    cv::Mat view, noise(kPage.height, kPage.width, CV_32FC3), colour, grey, thumbnail;
    ColourPage().convertTo(view, CV_32F, 0.75 + 0.2 * std::sin(0.3 * i));
    change(i, view);
    cv::GaussianBlur(view, view, {}, 0.8);
    random.fill(noise, cv::RNG::NORMAL, 0, 1.5);
    cv::Mat(view + noise).convertTo(colour, CV_8U);
    cv::cvtColor(colour, grey, cv::COLOR_RGB2GRAY);
    cv::resize(colour, thumbnail, {kPage.width / kThumbnailStep, kPage.height / kThumbnailStep}, 0,
               0, cv::INTER_AREA);
    stack.greys.push_back(AsPlane(grey));
    stack.valid.push_back(Filled(kPage, PixelType::kU8, 255));
    stack.thumbnails.push_back(AsPlane(thumbnail));
    if (i == 0) middle = colour;
  }
  cv::Mat around(kPage.height + 2 * kBackgroundMargin, kPage.width + 2 * kBackgroundMargin, CV_8UC3,
                 kDesk);
  middle.copyTo(around(cv::Rect(kBackgroundMargin, kBackgroundMargin, kPage.width, kPage.height)));
  stack.colour = AsPlane(around);
  return stack;
}

/// Where a view shows a finger.
cv::Mat FingerOf(int i) {
  cv::Mat view(kPage.height, kPage.width, CV_32FC3, cv::Scalar(0)), first;
  FingerIn12Views(i, view);
  cv::extractChannel(view, first, 0);
  return first > 0;
}

cv::Mat InPixels(const cv::Mat& cells) {
  cv::Mat pixels(kPage.height, kPage.width, CV_8U, cv::Scalar(0));
  for (int y = 0; y < pixels.rows; ++y) {
    for (int x = 0; x < pixels.cols; ++x) {
      if (IsOccluded(cells, y, x)) pixels.at<std::uint8_t>(y, x) = 255;
    }
  }
  return pixels;
}

TEST(FindOccluders, FindsAFingerInTheViewsThatShowIt) {
  ThreadPool one(1), three(3);
  const ViewStack film = Film(FingerIn12Views);
  const OcclusionMasks found = FindOccluders(film.thumbnails, film.valid, {}, one);
  ASSERT_EQ(found.views.size(), film.greys.size());
  for (int i = 0; i < kViews; ++i) {
    const cv::Mat finger = FingerOf(i), hidden = InPixels(found.views[static_cast<std::size_t>(i)]);
    cv::Mat around;
    cv::dilate(finger, around, cv::Mat::ones(65, 65, CV_8U));
    EXPECT_EQ(cv::countNonZero(hidden & ~around), 0) << "view " << i;
    if (i < 10 || i >= 19) continue;  // it only just shows
    EXPECT_EQ(cv::countNonZero(finger & ~hidden), 0) << "view " << i;
  }
  EXPECT_TRUE(found.persistent.empty());
  const OcclusionMasks again = FindOccluders(film.thumbnails, film.valid, {}, three);
  EXPECT_EQ(cv::countNonZero(again.Any() != found.Any()), 0);
}

TEST(FindOccluders, FollowsAFingerOverPrintOfNearlyItsHue) {
  ThreadPool pool(2);
  const ViewStack film = Film([](int i, cv::Mat& view) {
    const double gain = 0.75 + 0.2 * std::sin(0.3 * i);
    cv::rectangle(view, cv::Rect(30, 150, 260, 220), cv::Scalar(175 * gain, 124 * gain, 102 * gain),
                  cv::FILLED);
    FingerIn12Views(i, view);
  });
  const OcclusionMasks found = FindOccluders(film.thumbnails, film.valid, {}, pool);
  ASSERT_EQ(found.views.size(), film.greys.size());
  for (int i = 0; i < kViews; ++i) {
    const cv::Mat finger = FingerOf(i), hidden = InPixels(found.views[static_cast<std::size_t>(i)]);
    cv::Mat around;
    cv::dilate(finger, around, cv::Mat::ones(65, 65, CV_8U));
    EXPECT_LE(cv::countNonZero(hidden & ~around), 0.02 * kPage.area()) << "view " << i;
    if (i < 10 || i >= 19) continue;  // it only just shows
    EXPECT_EQ(cv::countNonZero(finger & ~hidden), 0) << "view " << i;
  }
}

TEST(FindOccluders, TakesNeitherLightNorGlossNorColourInTheMiddleForAFinger) {
  ThreadPool pool(2);
  const ViewStack film = Film([](int i, cv::Mat& view) {
    for (int x = 0; x < view.cols; ++x) view.col(x) *= 1 + 0.3 * std::sin(i) * (x - 160) / 160.0;
    cv::Mat shine(view.size(), CV_32FC3, cv::Scalar::all(0));
    cv::circle(shine, {10 + 7 * i, 200}, 50, cv::Scalar::all(120), cv::FILLED);
    cv::GaussianBlur(shine, shine, {}, 15);
    cv::Mat linear = view.mul(view) + 200 * shine;
    cv::sqrt(linear, view);
    if (i % 8 == 3) cv::circle(view, {160, 200}, 30, kSkin, cv::FILLED);  // not from beside
  });
  EXPECT_TRUE(FindOccluders(film.thumbnails, film.valid, {}, pool).Any().empty());
  EXPECT_TRUE(FindOccluders({}, film.valid, {}, pool).Any().empty());
}

TEST(InpaintOccluded, ShowsThePrintInTheLightOfTheView) {
  ThreadPool one(1), three(3);
  const auto light = [](int i, cv::Mat& view) {
    for (int x = 0; x < view.cols; ++x) view.col(x) *= 1 + 0.00004 * (i - 24) * (x - 160);
  };
  const ViewStack clean = Film(light);
  const ViewStack film = Film([&](int i, cv::Mat& view) {
    light(i, view);
    FingerIn12Views(i, view);
  });
  const OcclusionMasks found = FindOccluders(film.thumbnails, film.valid, {}, one);
  const auto filled = InpaintOccluded(film.greys, film.valid, found, {}, one);
  const auto again = InpaintOccluded(film.greys, film.valid, found, {}, three);
  ASSERT_EQ(filled.size(), film.greys.size());
  for (std::size_t i = 0; i < filled.size(); ++i) {
    EXPECT_TRUE(SameBytes(again[i], filled[i]));
    const cv::Mat hidden = InPixels(found.views[i]);
    EXPECT_EQ(cv::norm(AsMat(filled[i]), AsMat(film.greys[i]), cv::NORM_L1, ~hidden), 0);
    if (cv::countNonZero(hidden) == 0) continue;
    const double off = cv::norm(AsMat(filled[i]), AsMat(clean.greys[i]), cv::NORM_L1, hidden);
    EXPECT_LE(off / cv::countNonZero(hidden), 3.0) << "view " << i;
  }
}

TEST(DetectPhotometric, MarksNoFingerAndSaysWhereItHidTooMuch) {
  CpuStages cpu(2);
  ViewStack film = Film(FingerIn12Views);
  auto result = DetectPhotometric(film, {}, {}, cpu.stages, cpu.pool, {});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(CountMarked(result->lines), 0);
  EXPECT_EQ(CountMarked(result->known), kPage.area());
  film.thumbnails.clear();
  result = DetectPhotometric(film, {}, {}, cpu.stages, cpu.pool, {});
  ASSERT_THAT(result, IsOk());
  EXPECT_GT(CountMarked(result->lines), 300)
      << "the finger does not show, so that this tests nothing";

  film = Film([](int i, cv::Mat& view) {
    if (i < 20) DrawFinger(view, 250, 230);
  });
  result = DetectPhotometric(film, {}, {}, cpu.stages, cpu.pool, {});
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(CountMarked(result->lines), 0);
  EXPECT_EQ(result->known.Row<std::uint8_t>(232)[290], 0);
  EXPECT_EQ(result->known.Row<std::uint8_t>(100)[100], 255);
  EXPECT_LT(CountMarked(result->known), kPage.area());

  film.thumbnails.pop_back();
  EXPECT_THAT(DetectPhotometric(film, {}, {}, cpu.stages, cpu.pool, {}),
              FailsWith(Reason::kInternal, testing::HasSubstr("thumbnail")));
}

TEST(CellsTouchedBy, AreAllWithAPixelAndTheLastHasWhatIsLeft) {
  cv::Mat mask(3 * kOccluderCell + 5, 2 * kOccluderCell, CV_8U, cv::Scalar(0));
  mask.at<std::uint8_t>(kOccluderCell, kOccluderCell - 1) = 255;
  mask.at<std::uint8_t>(mask.rows - 1, mask.cols - 1) = 1;
  const cv::Mat cells = CellsTouchedBy(mask);
  ASSERT_EQ(cells.size(), cv::Size(2, 3));
  EXPECT_EQ(cv::countNonZero(cells), 2);
  EXPECT_EQ(cells.at<std::uint8_t>(1, 0), 255);
  EXPECT_EQ(cells.at<std::uint8_t>(2, 1), 255);
  EXPECT_TRUE(IsOccluded(cells, mask.rows - 1, mask.cols - 1));
}

}  // namespace
}  // namespace glint::photometric
