// SPDX-License-Identifier: Apache-2.0
#include "assess/centering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assess/drawing.h"

namespace glint {
namespace {

/// A card with a border, and artwork of two colours inside.
Plane Card(int left, int right, int top, int bottom) {
  const Size size{630, 880};
  const Plane picture = Colour(size, {235, 232, 224});
  const Rectangle art{left, top, size.width - left - right, size.height - top - bottom};
  FillColour(picture, art, {40, 60, 140});
  FillColour(picture, {art.x + art.width / 3, art.y, art.width / 4, art.height}, {150, 30, 30});
  return picture;
}

TEST(Centering, MeasuresTheBorderOnEachSide) {
  const auto found = MeasureCentering(Card(40, 24, 30, 31));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->left_px, 40, 0.6);
  EXPECT_NEAR(found->right_px, 24, 0.6);
  EXPECT_NEAR(found->top_px, 30, 0.6);
  EXPECT_NEAR(found->bottom_px, 31, 0.6);
  EXPECT_NEAR(found->left_percent(), 62.5, 0.5);
  EXPECT_NEAR(found->top_percent(), 49.2, 0.6);
}

TEST(Centering, SurvivesDamageAndPrintOnTheBorder) {
  const Plane picture = Card(40, 24, 30, 31);
  FillColour(picture, {0, 300, 20, 60}, {30, 30, 30});   // a stain on the left border
  FillColour(picture, {200, 10, 80, 10}, {20, 20, 20});  // a line of small print above
  const auto found = MeasureCentering(picture);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->left_px, 40, 0.6);
  EXPECT_NEAR(found->top_px, 30, 0.6);
}

TEST(Centering, IsNotMeasuredWhereASideHasNoBorder) {
  EXPECT_FALSE(MeasureCentering(Card(40, 0, 30, 31))) << "artwork runs to the right edge";
  EXPECT_FALSE(MeasureCentering(Colour({630, 880}, {90, 90, 90}))) << "nothing but border";
  EXPECT_FALSE(MeasureCentering(Colour({20, 20}, {90, 90, 90}))) << "too small";
}

TEST(Centering, IsNotMeasuredWhereArtworkHasNoStraightEdge) {
  const Size size{630, 880};
  const Plane picture = Colour(size, {235, 232, 224});
  for (int y = 0; y < size.height; ++y) {
    const int from = 30 + y * 60 / size.height;  // slants
    FillColour(picture, {from, y, size.width - 2 * from, 1}, {40, 60, 140});
  }
  EXPECT_FALSE(MeasureCentering(picture));
}

}  // namespace
}  // namespace glint
