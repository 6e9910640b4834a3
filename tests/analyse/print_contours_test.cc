// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/print/print_contours.h"

#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "base/thread_pool.h"

namespace glint::photometric {
namespace {

constexpr int kGreyUnit = 64;
constexpr int kHorizontal = 0, kVertical = 8;

Plane Paper(int grey) {
  Plane plane = Plane::Host({120, 100}, PixelType::kS16);
  AsMat(plane).setTo(grey * kGreyUnit);
  return plane;
}

PrintContours Find(const Plane& albedo) {
  ThreadPool pool(2);
  return FindPrintContours(albedo, {}, pool);
}

TEST(PrintContours, PaperHasNone) {
  const PrintContours found = Find(Paper(180));
  for (int direction = 0; direction < 16; ++direction) {
    EXPECT_FALSE(found.contrast.Has(60, 50, direction));
    EXPECT_FALSE(found.contours.Has(60, 50, direction));
    EXPECT_FALSE(found.streaks.Has(60, 50, direction));
  }
}

TEST(PrintContours, AnEdgeOfPrintIsAContourAlongItselfAlone) {
  Plane edge = Paper(180);
  AsMat(edge).rowRange(50, 100).setTo(100 * kGreyUnit);
  const PrintContours found = Find(edge);
  EXPECT_TRUE(found.contours.Has(60, 50, kHorizontal));
  EXPECT_TRUE(found.contrast.Has(60, 50, kHorizontal));
  EXPECT_FALSE(found.contours.Has(60, 50, kVertical));
  EXPECT_FALSE(found.contours.Has(60, 20, kHorizontal));
}

TEST(PrintContours, AThinBrightLineIsAStreakAndADarkOneIsNot) {
  Plane dark = Paper(180), bright = Paper(90);
  cv::Mat dark_lines = AsMat(dark), bright_lines = AsMat(bright);
  dark_lines.colRange(59, 61).setTo(80 * kGreyUnit);
  bright_lines.colRange(58, 61).setTo(200 * kGreyUnit);
  const PrintContours of_dark = Find(dark), of_bright = Find(bright);
  EXPECT_TRUE(of_dark.contours.Has(60, 50, kVertical));
  EXPECT_FALSE(of_dark.streaks.Has(60, 50, kVertical));
  EXPECT_TRUE(of_bright.streaks.Has(59, 50, kVertical));
}

TEST(PrintContours, NearDirectionsGoAroundAtTheEnd) {
  DirectionMask mask({4, 4});
  mask.Row(1)[2] = 1;  // direction 0
  EXPECT_TRUE(mask.HasNear(2, 1, 15));
  EXPECT_TRUE(mask.HasNear(2, 1, 1));
  EXPECT_FALSE(mask.HasNear(2, 1, 2));
  EXPECT_FALSE(mask.Has(4, 1, 0));
  EXPECT_FALSE(mask.Has(-1, 1, 0));
}

}  // namespace
}  // namespace glint::photometric
