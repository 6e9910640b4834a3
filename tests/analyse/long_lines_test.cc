// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/long_lines.h"

#include <gtest/gtest.h>

#include <opencv2/core.hpp>

#include "analyse/photometric/energy_normalisation.h"
#include "base/mat.h"
#include "base/thread_pool.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

constexpr Size kSize{300, 200};

/// Evidence of plain surface with a horizontal line of this strength, in kEnergyUnit.
struct LineScene {
  Plane energy = Plane::Host(kSize, PixelType::kS32);
  Plane directions = Plane::Host(kSize, PixelType::kU8);
  Plane ridges = Plane::Host(kSize, PixelType::kU8);
  PrintContours print{.albedo = {},
                      .contrast = DirectionMask(kSize),
                      .contours = DirectionMask(kSize),
                      .strokes = DirectionMask(kSize),
                      .streaks = DirectionMask(kSize)};

  LineScene() {
    AsMat(energy).setTo(0.5 * kEnergyUnit);
    AsMat(directions).setTo(0);
    AsMat(ridges).setTo(0);
  }
  void AddLine(double strength, int from, int to, int y = 100) {
    const cv::Rect where(from, y, to - from, 1);
    AsMat(energy)(where).setTo(strength * kEnergyUnit);
    AsMat(ridges)(where).setTo(255);
  }
  void Print(int y) {
    for (int v = y - 2; v <= y + 2; ++v) {
      for (int x = 0; x < kSize.width; ++x) print.contours.Row(v)[x] = 1;
    }
  }
  int Found(const LongLineParams& params = {}) const {
    ThreadPool pool(2);
    return cv::countNonZero(AsMat(FindLongLines(energy, directions, ridges, print, params, pool)));
  }
};

TEST(LongLines, AFaintLineIsFoundByItsLength) {
  LineScene scene;
  scene.AddLine(1.7, 40, 260);
  EXPECT_GT(scene.Found(), 150);
}

TEST(LongLines, AsFaintAndShortIsNoLine) {
  LineScene scene;
  scene.AddLine(1.7, 120, 180);
  EXPECT_EQ(scene.Found(), 0);
}

TEST(LongLines, AShortOneMustBeStronger) {
  LineScene scene;
  scene.AddLine(2.6, 120, 170);
  EXPECT_GT(scene.Found(), 15);
}

TEST(LongLines, LengthsAreParametersInAnyOrder) {
  LineScene scene;
  scene.AddLine(2.6, 120, 150);
  EXPECT_EQ(scene.Found(), 0);
  LongLineParams params;
  params.half_lengths_px = {10, 40, 80};
  EXPECT_GT(scene.Found(params), 8);
  params.half_lengths_px = {10, 9, 8};
  EXPECT_GT(scene.Found(params), 8);
}

TEST(LongLines, OneStrongSpotIsNoLine) {
  LineScene scene;
  scene.AddLine(50, 148, 152);
  EXPECT_EQ(scene.Found(), 0);
}

TEST(LongLines, WhatThePrintHasOnTheVeryLineMustBeMuchStronger) {
  LineScene scene;
  scene.AddLine(1.7, 40, 260);
  scene.Print(100);
  EXPECT_EQ(scene.Found(), 0);
}

TEST(LongLines, PrintThatChangesAlongALineDoesNotExplainIt) {
  LineScene scene;
  scene.AddLine(1.7, 40, 260);
  scene.Print(100);
  scene.print.albedo = Plane::Host(kSize, PixelType::kS16);
  cv::Mat albedo = AsMat(scene.print.albedo);
  albedo.setTo(100 * kGrey);
  albedo.rowRange(100, kSize.height).setTo(140 * kGrey);  // an edge of the print
  EXPECT_EQ(scene.Found(), 0);
  for (int x = 0; x < kSize.width; x += 40) {  // a drawing
    albedo(cv::Rect(x, 0, 20, 100)).setTo(180 * kGrey);
  }
  EXPECT_GT(scene.Found(), 150);
}

TEST(LongLines, ContoursBesideALineAreNoDoubt) {
  LineScene scene;
  scene.AddLine(1.7, 40, 260);
  scene.Print(120);
  EXPECT_GT(scene.Found(), 150);
}

TEST(LongLines, DirectionsOfOtherLinesDoNotCount) {
  LineScene scene;
  scene.AddLine(1.7, 40, 260);
  AsMat(scene.directions).setTo(5);
  EXPECT_EQ(scene.Found(), 0);
}

TEST(LongLines, WhatRunsAlongTheRimIsTheRims) {
  LineScene scene;
  scene.AddLine(1.7, 40, 260, 6);
  EXPECT_EQ(scene.Found(), 0);
}

}  // namespace
}  // namespace glint::photometric
