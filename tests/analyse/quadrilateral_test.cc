// SPDX-License-Identifier: Apache-2.0
#include "analyse/quadrilateral.h"

#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>
#include <random>

#include "analyse/homography_fit.h"

namespace glint {
namespace {

TEST(Ordered, BeginsAtTheTopLeftAsDisplayed) {
  struct Case {
    const char* name;
    Quadrilateral given, expected;
  };
  const Case cases[] = {
      {"in order", {{{0, 0}, {4, 0}, {4, 2}, {0, 2}}}, {{{0, 0}, {4, 0}, {4, 2}, {0, 2}}}},
      {"from BR", {{{4, 2}, {0, 2}, {0, 0}, {4, 0}}}, {{{0, 0}, {4, 0}, {4, 2}, {0, 2}}}},
      {"counter-clockwise", {{{0, 0}, {0, 2}, {4, 2}, {4, 0}}}, {{{0, 0}, {4, 0}, {4, 2}, {0, 2}}}},
      {"turned 30 degrees clockwise",
       {{{5, 10}, {0, 8.7}, {5, 0}, {10, 2.9}}},
       {{{5, 0}, {10, 2.9}, {5, 10}, {0, 8.7}}}},
      {"turned 30 degrees counter-clockwise",
       {{{0, 2.9}, {5, 0}, {10, 8.7}, {5, 10}}},
       {{{0, 2.9}, {5, 0}, {10, 8.7}, {5, 10}}}},
      {"on its corner", {{{5, 0}, {10, 5}, {5, 10}, {0, 5}}}, {{{0, 5}, {5, 0}, {10, 5}, {5, 10}}}},
  };
  for (const Case& c : cases) EXPECT_EQ(CornerDistance(Ordered(c.given), c.expected), 0) << c.name;
}

TEST(FromOwnTop, BeginsAtTheTopLeftCornerOfTheObjectItself) {
  const Point tl{0, 0}, tr{4, 0}, br{4, 2}, bl{0, 2};
  const Quadrilateral shown = {{tl, tr, br, bl}};
  const std::pair<PictureSide, Quadrilateral> cases[] = {
      {PictureSide::kTop, {{tl, tr, br, bl}}},
      {PictureSide::kRight, {{tr, br, bl, tl}}},
      {PictureSide::kBottom, {{br, bl, tl, tr}}},
      {PictureSide::kLeft, {{bl, tl, tr, br}}},
  };
  for (const auto& [top, expected] : cases) {
    EXPECT_EQ(CornerDistance(FromOwnTop(shown, top), expected), 0) << Name(top);
  }
}

TEST(Quadrilateral, KnowsItsAreaAndShape) {
  const Quadrilateral q = {{{0, 0}, {4, 0}, {4, 2}, {0, 2}}};
  EXPECT_EQ(Area(q), 8);
  EXPECT_TRUE(IsConvex(q));
  EXPECT_FALSE(IsConvex({{{0, 0}, {0, 2}, {4, 2}, {4, 0}}}));    // counter-clockwise
  EXPECT_FALSE(IsConvex({{{0, 0}, {4, 0}, {1, 0.5}, {0, 2}}}));  // bent inwards
  EXPECT_FALSE(IsConvex({{{0, 0}, {4, 2}, {4, 0}, {0, 2}}}));    // crossed
  EXPECT_TRUE(Contains(q, {4, 1}));
  EXPECT_FALSE(Contains(q, {4.01, 1}));
}

TEST(RectifiedSize, IsTheMeanLengthOfTheSidesUpTo1600) {
  EXPECT_EQ(RectifiedSize({{{0, 0}, {100, 0}, {110, 50}, {0, 50}}}), (Size{105, 50}));
  EXPECT_EQ(RectifiedSize({{{0, 0}, {3200, 0}, {3200, 2000}, {0, 2000}}}), (Size{1600, 1000}));
  EXPECT_EQ(RectifiedSize({{{0, 0}, {1, 0}, {1, 100}, {0, 100}}}), (Size{16, 100}));
}

TEST(FrameFromObject, EqualsOpenCvOnTheSameFourPoints) {
  const Quadrilateral corners = {
      {{104.67, 83.53}, {1087.85, 121.3}, {1229.8, 649.7}, {75.18, 701}}};
  const Size size{1010, 590};
  const Homography h = FrameFromObject(corners, size);
  const cv::Point2f from[] = {{0, 0}, {1010, 0}, {1010, 590}, {0, 590}};
  cv::Point2f to[4];
  for (std::size_t i = 0; i < 4; ++i) {
    to[i] = {static_cast<float>(corners[i].x), static_cast<float>(corners[i].y)};
  }
  const cv::Mat expected = cv::getPerspectiveTransform(from, to);
  for (int i = 0; i < 9; ++i) {
    const double value = expected.at<double>(i / 3, i % 3);
    EXPECT_NEAR(h[static_cast<std::size_t>(i)], value, 1e-6 * std::max(1.0, std::abs(value)));
  }
}

TEST(Homography, InverseUndoesAndComposeChains) {
  const Homography h = {1.1, 0.1, 30, -0.2, 0.9, 12, 1e-4, -2e-4, 1};
  const auto inverse = Inverse(h);
  ASSERT_TRUE(inverse);
  const Point p{320, 200};
  EXPECT_LT(Distance(Map(*inverse, Map(h, p)), p), 1e-9);
  EXPECT_LT(Distance(Map(Compose(h, *inverse), p), p), 1e-9);
  EXPECT_FALSE(Inverse({1, 2, 3, 2, 4, 6, 0, 0, 1}));
}

TEST(FitHomography, FindsTheMapInSpiteOfWrongCorrespondences) {
  const Homography truth = {1.004, 0.003, 1.2, -0.002, 0.997, -0.8, 3e-6, -2e-6, 1};
  std::mt19937 random(5);
  std::vector<Correspondence> points;
  for (int i = 0; i < 400; ++i) {
    const Point from{static_cast<double>(random() % 800), static_cast<double>(random() % 600)};
    Point to = Map(truth, from);
    if (i % 4 == 0) to = to + Point{static_cast<double>(random() % 9), 5};
    points.push_back({from, to});
  }
  const auto h = FitHomography(points, 1.4);
  ASSERT_TRUE(h);
  for (const Point p : {Point{0, 0}, Point{800, 0}, Point{800, 600}, Point{0, 600}})
    EXPECT_LT(Distance(Map(*h, p), Map(truth, p)), 1e-3);
}

TEST(FitHomography, FindsNothingOnALineOrInTooFewPoints) {
  std::vector<Correspondence> points;
  points.reserve(50);
  for (int i = 0; i < 50; ++i) points.push_back({{1.0 * i, 2.0 * i}, {1.0 * i, 2.0 * i}});
  EXPECT_FALSE(FitHomography(points, 1));
  points.resize(7);
  EXPECT_FALSE(FitHomography(points, 1));
}

}  // namespace
}  // namespace glint
