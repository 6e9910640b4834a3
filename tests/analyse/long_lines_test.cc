// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/searches/long_lines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <opencv2/core.hpp>

#include "analyse/photometric/evidence/energy_normalisation.h"
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
  /// A part of a bow through the middle of the picture, which lies so far to one side 80 px from
  /// there.
  void AddBow(double strength, int from, int to, double bow) {
    constexpr int kMiddle = kSize.width / 2, kHalf = 80;
    for (int t = from; t <= to; ++t) {
      const double part = static_cast<double>(t) / kHalf;
      const cv::Point at(kMiddle + t, 100 + static_cast<int>(std::lround(bow * part * part)));
      AsMat(energy).at<std::int32_t>(at) = static_cast<std::int32_t>(strength * kEnergyUnit);
      AsMat(ridges).at<std::uint8_t>(at) = 255;
      const double turned = std::atan(2 * bow * part / kHalf) / CV_PI * kDirections;
      AsMat(directions).at<std::uint8_t>(at) = static_cast<std::uint8_t>(
          (static_cast<int>(std::lround(turned)) + kDirections) % kDirections);
    }
  }
  void Print(int y) {
    for (int v = y - 2; v <= y + 2; ++v) {
      for (int x = 0; x < kSize.width; ++x) print.contours.Row(v)[x] = 1;
    }
  }
  /// How many pixels are found, from a column on.
  int Found(const LongLineParams& params = {}, int first_column = 0) const {
    ThreadPool pool(2);
    const Plane found = FindLongLines(energy, directions, ridges, print, params, pool);
    return cv::countNonZero(AsMat(found).colRange(first_column, kSize.width));
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

TEST(LongLines, AFaintLineMayBeBowed) {
  for (const double bow : {-12.0, -8.0, 8.0, 12.0}) {
    LineScene scene;
    scene.AddBow(1.8, -110, 110, bow);
    EXPECT_GT(scene.Found(), 60) << bow;
    EXPECT_LT(scene.Found({.min_bow_mean = 100}), 30) << bow;
  }
}

TEST(LongLines, AFaintBowIsNoShortOne) {
  LineScene scene;
  scene.AddBow(1.8, -60, 60, 12);
  EXPECT_EQ(scene.Found(), 0);
}

TEST(LongLines, HalfOfAStrongLineIsNoBow) {
  LineScene scene;
  scene.AddBow(2.8, -110, 0, 12);
  scene.AddBow(0.7, 1, 110, 12);
  LongLineParams params;
  params.min_bow_gain = 1;
  EXPECT_EQ(scene.Found(params, kSize.width / 2 + 35), 0);
  params.min_bow_half_share = 0;
  EXPECT_GT(scene.Found(params, kSize.width / 2 + 35), 5);
}

TEST(LongLines, OneLineOfManyIsChance) {
  LineScene scene;
  scene.AddLine(1.7, 40, 260);
  AsMat(scene.ridges).setTo(0);
  AsMat(scene.ridges)(cv::Rect(150, 100, 10, 1)).setTo(255);  // 10 middles of lines
  EXPECT_EQ(scene.Found({.min_lines = 10}), 10);
  EXPECT_EQ(scene.Found({.min_lines = 11}), 0) << "each counts once, in one direction";
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
