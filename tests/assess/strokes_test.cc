// SPDX-License-Identifier: Apache-2.0
#include "assess/strokes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "assess/drawing.h"

namespace glint {
namespace {

constexpr Size kObject{600, 800};
constexpr Rectangle kAll{0, 0, 600, 800};

std::vector<Stroke> Split(const Plane& labels) { return StrokesOf(labels, 1, kAll, true); }

TEST(Strokes, TakesOneLineAsOne) {
  const Plane labels = NoLabels(kObject);
  DrawLine(labels, 1, {100, 100}, {400, 300}, 5);
  const auto strokes = Split(labels);
  ASSERT_EQ(strokes.size(), 1U);
  EXPECT_NEAR(strokes[0].length(), std::hypot(300, 200), 8);
}

TEST(Strokes, CountsThreeCreasesThatCrossAsThree) {
  const Plane labels = NoLabels(kObject);
  DrawLine(labels, 1, {50, 400}, {550, 380}, 5);
  DrawLine(labels, 1, {200, 200}, {260, 600}, 5);
  DrawLine(labels, 1, {420, 250}, {380, 520}, 5);
  const auto strokes = Split(labels);
  ASSERT_EQ(strokes.size(), 3U);
  std::size_t pixels = 0;
  for (const Stroke& stroke : strokes) {
    pixels += stroke.pixels.size();
    EXPECT_GT(stroke.length(), 250);
  }
  EXPECT_EQ(pixels, static_cast<std::size_t>(RegionOf(labels, 1, RegionKind::kArea, "").area_px))
      << "each pixel belongs to one of them";
}

TEST(Strokes, CountsALineThatEndsOnAnotherAsTwo) {
  const Plane labels = NoLabels(kObject);
  DrawLine(labels, 1, {100, 400}, {500, 400}, 5);
  DrawLine(labels, 1, {300, 400}, {300, 700}, 5);
  EXPECT_EQ(Split(labels).size(), 2U);
}

TEST(Strokes, LeavesAnArcAndABendWhole) {
  const Plane arc = NoLabels(kObject);
  for (int degree = 0; degree < 120; degree += 4) {
    const auto at = [](int d) {
      const double angle = d * 3.14159265 / 180;
      return Point{300 + 200 * std::cos(angle), 300 + 200 * std::sin(angle)};
    };
    DrawLine(arc, 1, at(degree), at(degree + 4), 5);
  }
  EXPECT_EQ(Split(arc).size(), 1U);
  const Plane bend = NoLabels(kObject);
  DrawLine(bend, 1, {100, 400}, {300, 400}, 5);
  DrawLine(bend, 1, {300, 400}, {300, 700}, 5);
  EXPECT_EQ(Split(bend).size(), 1U);
}

TEST(Strokes, LeavesACrossWholeWhenItIsNotToBeSplit) {
  const Plane labels = NoLabels(kObject);
  DrawLine(labels, 1, {100, 400}, {500, 400}, 5);
  DrawLine(labels, 1, {300, 200}, {300, 700}, 5);
  EXPECT_EQ(StrokesOf(labels, 1, kAll, false).size(), 1U);
}

TEST(Strokes, ASinglePixelIsAStroke) {
  const Plane labels = NoLabels(kObject);
  labels.Row<std::int32_t>(5)[7] = 1;
  const auto strokes = Split(labels);
  ASSERT_EQ(strokes.size(), 1U);
  EXPECT_EQ(strokes[0].box, (Rectangle{7, 5, 1, 1}));
  EXPECT_TRUE(StrokesOf(labels, 2, kAll, true).empty());
}

}  // namespace
}  // namespace glint
