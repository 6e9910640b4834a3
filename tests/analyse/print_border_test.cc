// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/print_border.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>

#include "analyse/photometric_drawing.h"
#include "base/mat.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr StraightLine kAcross{.x = 20, .y = 50, .begin = 0, .end = 159};

/// A sheet of one grey.
Plane PlainSheet() { return Filled({200, 100}, PixelType::kS16, 120 * kGrey); }

/// Makes some of a sheet brighter.
void Brighten(const Plane& sheet, const cv::Rect& where, int grey) {
  AsMat(sheet)(where) += cv::Scalar(grey * kGrey);
}

TEST(PrintBorder, IsNotOnAPlainSheet) { EXPECT_FALSE(RunsAlongBorder(kAcross, PlainSheet(), {})); }

TEST(PrintBorder, RunsWithALineOrBesideIt) {
  for (const int away : {-11, -4, 0, 4, 11}) {
    const Plane sheet = PlainSheet();
    Brighten(sheet, {0, 50 + away, 200, 50 - away}, 9);
    EXPECT_TRUE(RunsAlongBorder(kAcross, sheet, {})) << away;
  }
  const Plane sheet = PlainSheet();
  Brighten(sheet, {0, 80, 200, 20}, 9);
  EXPECT_FALSE(RunsAlongBorder(kAcross, sheet, {})) << "far from it";
}

TEST(PrintBorder, MayBeUnevenButHasOneBrighterSide) {
  const Plane sheet = PlainSheet();
  for (int x = 0; x < 200; x += 20) Brighten(sheet, {x, 50, 20, 50}, x % 60 == 0 ? 30 : 2);
  EXPECT_TRUE(RunsAlongBorder(kAcross, sheet, {}));
  for (int x = 20; x < 200; x += 60) Brighten(sheet, {x, 50, 20, 50}, -4);
  EXPECT_FALSE(RunsAlongBorder(kAcross, sheet, {}));
}

TEST(PrintBorder, IsNeitherAThinStrokeNorPrintThatIsCrossed) {
  const Plane stroke = PlainSheet();
  Brighten(stroke, {0, 49, 200, 2}, -14);
  EXPECT_FALSE(RunsAlongBorder(kAcross, stroke, {}));
  const Plane crossed = PlainSheet();
  for (int x = 0; x < 200; x += 30) Brighten(crossed, {x, 0, 15, 100}, 60);
  EXPECT_FALSE(RunsAlongBorder(kAcross, crossed, {}));
}

}  // namespace
}  // namespace glint::photometric
