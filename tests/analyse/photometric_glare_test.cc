// SPDX-License-Identifier: Apache-2.0
// Highlights that pass over a page.
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "analyse/photometric/pixels/block_sums.h"
#include "analyse/photometric/scene/glare.h"
#include "analyse/photometric_drawing.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr Size kPage{360, 480};
constexpr int kViews = 24;

/// A page with panels, lines of ink and an empty margin.
cv::Mat PrintedPage() {
  cv::Mat page(kPage.height, kPage.width, CV_8U, cv::Scalar(215));
  cv::rectangle(page, cv::Rect(30, 30, 300, 200), cv::Scalar(90), cv::FILLED);
  cv::rectangle(page, cv::Rect(30, 250, 300, 200), cv::Scalar(40), 4);
  for (int i = 0; i < 7; ++i) {
    cv::line(page, {30 + 40 * i, 30}, {60 + 40 * i, 229}, cv::Scalar(40 + 25 * i), 3);
    cv::circle(page, {60 + 40 * i, 350}, 16, cv::Scalar(60 + 15 * i), cv::FILLED);
  }
  return page;
}

/// Views of the page; `change` draws into each.
struct Film {
  std::vector<Plane> greys, valid;

  template <class Change>
  explicit Film(Change change) {
    cv::RNG random(5);
    for (int i = 0; i < kViews; ++i) {
      cv::Mat view, noise(kPage.height, kPage.width, CV_32F);
      PrintedPage().convertTo(view, CV_32F, 0.8 + 0.01 * i);
      change(i, view);
      random.fill(noise, cv::RNG::NORMAL, 0, 1.5);
      cv::GaussianBlur(view, view, {}, 0.8);
      cv::Mat grey;
      cv::Mat(view + noise).convertTo(grey, CV_8U);
      greys.push_back(AsPlane(grey));
      valid.push_back(Filled(kPage, PixelType::kU8, 255));
    }
  }

  std::vector<BlockSums> InBlocks(ThreadPool& pool) const { return SumBlocks(greys, valid, pool); }
};

/// The page as the median of the views has it.
BlockSums PageInBlocks() {
  Albedo artwork{.grey = Plane::Host(kPage, PixelType::kS16),
                 .gradient = {},
                 .curvature = {},
                 .count = Filled(kPage, PixelType::kU8, kViews)};
  PrintedPage().convertTo(AsMat(artwork.grey), CV_16S, 0.9 * kGrey);
  return SumBlocks(artwork);
}

TEST(FindGlare, IsWhereAHighlightPassed) {
  ThreadPool one(1), three(3);
  const cv::Point from(80, 350), step(6, -8);
  const Film film([&](int i, cv::Mat& view) {
    cv::Mat light(view.size(), CV_32F, cv::Scalar(0));
    cv::circle(light, from + i * step, 40, cv::Scalar(140), cv::FILLED);
    cv::GaussianBlur(light, light, {}, 15);
    view += light;
  });
  const Plane glare = FindGlare(PageInBlocks(), film.InBlocks(one), kPage, {}, one);
  cv::Mat passed(kPage.height, kPage.width, CV_8U, cv::Scalar(0)), around;
  cv::line(passed, from + step, from + (kViews - 2) * step, cv::Scalar(255), 30);
  cv::dilate(passed, around, cv::Mat::ones(101, 101, CV_8U));
  EXPECT_GE(CountBoth(glare, passed), 0.95 * cv::countNonZero(passed));
  EXPECT_EQ(CountBoth(glare, around == 0), 0);
  const Plane again = FindGlare(PageInBlocks(), film.InBlocks(three), kPage, {}, three);
  EXPECT_EQ(cv::countNonZero(AsMat(glare) != AsMat(again)), 0);
}

TEST(FindGlare, IsNeitherALampThatMovesAsideNorALineThatGlints) {
  ThreadPool pool(2);
  const Film film([](int i, cv::Mat& view) {
    for (int x = 0; x < view.cols; ++x) {
      view.col(x) *= 1 + 0.2 * std::sin(i) * (x - view.cols / 2.0) / view.cols;
    }
    cv::Mat glint(view.size(), CV_32F, cv::Scalar(0));
    if (i % 4 == 0) cv::line(glint, {40, 40}, {320, 440}, cv::Scalar(80), 5);
    view += glint;
  });
  const Plane glare = FindGlare(PageInBlocks(), film.InBlocks(pool), kPage, {}, pool);
  EXPECT_EQ(CountMarked(glare), 0);
}

TEST(FindGlare, NeedsTwoViews) {
  ThreadPool pool(1);
  const Film film([](int i, cv::Mat& view) {
    if (i == 5) cv::circle(view, {180, 240}, 70, cv::Scalar(250), cv::FILLED);
  });
  EXPECT_EQ(CountMarked(FindGlare(PageInBlocks(), film.InBlocks(pool), kPage, {}, pool)), 0);
  const Size tiny{20, 9};
  const std::vector<Plane> grey(3, Filled(tiny, PixelType::kU8, 20));
  const auto views = SumBlocks(grey, grey, pool);
  EXPECT_EQ(CountMarked(FindGlare(views[0], views, tiny, {}, pool)), 0);
}

}  // namespace
}  // namespace glint::photometric
