// SPDX-License-Identifier: Apache-2.0
#include "assess/naming.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assess/drawing.h"

namespace glint {
namespace {

constexpr Size kObject{700, 1000};
constexpr int kMargin = 24;

/// Names what lies at the place of a line. @param family  a layer's name
struct Named {
  DefectName name;
  bool breaks_colour = false;
};

Named NameLine(Point from, Point to, int width, std::string_view family = kLinesLayer,
               std::string_view item_type = "comic", std::uint8_t line_grey = 90,
               ObjectSide side = ObjectSide::kFront) {
  const Plane labels = NoLabels(kObject);
  DrawLine(labels, 1, from, to, width);
  const Plane picture = Colour(kObject, {90, 90, 90});
  for (int y = 0; y < kObject.height; ++y) {
    for (int x = 0; x < kObject.width; ++x) {
      if (labels.Row<std::int32_t>(y)[x] == 1) {
        FillColour(picture, {x, y, 1, 1}, {line_grey, line_grey, line_grey});
      }
    }
  }
  const DefectRegion region = RegionOf(labels, 1, RegionKind::kLine, family);
  const Stroke stroke = StrokesOf(labels, 1, region.box, false).front();
  return {NameOf(region, stroke, {item_type, kObject, side}, {Plane(), 0}),
          BreaksColour(picture, stroke)};
}

/// Names what is gone of the outline. @param inside  its colour; the table is dark
DefectName NameLoss(const Rectangle& box, std::array<std::uint8_t, 3> inside) {
  const Plane labels = NoLabels(kObject);
  Fill<std::int32_t>(labels, box, 1);
  const Plane around =
      Colour({kObject.width + 2 * kMargin, kObject.height + 2 * kMargin}, {50, 40, 30});
  FillColour(around, {box.x + kMargin, box.y + kMargin, box.width, box.height}, inside);
  const DefectRegion region = RegionOf(labels, 1, RegionKind::kEdgeLoss, kOutlineLayer);
  const Stroke stroke = StrokesOf(labels, 1, region.box, false).front();
  return NameOf(region, stroke, {"comic", kObject}, {around, kMargin});
}

TEST(Naming, AShortLineAcrossAComicsSpineIsASpineTick) {
  EXPECT_EQ(NameLine({0, 300}, {30, 304}, 5).name, DefectName::kSpineTick);
  EXPECT_NE(NameLine({0, 300}, {30, 304}, 5, kLinesLayer, "card").name, DefectName::kSpineTick)
      << "a card has no spine";
  EXPECT_NE(NameLine({10, 300}, {12, 340}, 5).name, DefectName::kSpineTick) << "along the spine";
  EXPECT_NE(NameLine({0, 300}, {200, 304}, 5).name, DefectName::kSpineTick) << "too long";
  EXPECT_NE(NameLine({400, 300}, {430, 304}, 5).name, DefectName::kSpineTick) << "elsewhere";
}

TEST(Naming, TheSpineOfTheBackLiesOnTheRight) {
  const auto on_back = [](Point from, Point to) {
    return NameLine(from, to, 5, kLinesLayer, "comic", 90, ObjectSide::kBack).name;
  };
  EXPECT_EQ(on_back({669, 300}, {699, 304}), DefectName::kSpineTick);
  EXPECT_NE(on_back({0, 300}, {30, 304}), DefectName::kSpineTick);
}

TEST(Naming, ABroadLineIsACreaseAThinOneInsideAScratch) {
  EXPECT_EQ(NameLine({200, 200}, {400, 350}, 3).name, DefectName::kScratch);
  EXPECT_EQ(NameLine({200, 200}, {400, 350}, 9).name, DefectName::kCrease);
}

TEST(Naming, ALineOfWhichNothingTellsWhetherItIsAFoldIsSaidToBeEither) {
  EXPECT_EQ(NameLine({200, 200}, {400, 350}, 5).name, DefectName::kCreaseOrScratch) << "between";
  EXPECT_EQ(NameLine({500, 0}, {600, 200}, 3).name, DefectName::kCreaseOrScratch)
      << "thin, and from the edge";
  EXPECT_EQ(NameLine({200, 200}, {400, 350}, 5, kLinesLayer, "comic", 140).name,
            DefectName::kCreaseOrScratch)
      << "scratches lose their ink as creases do";
}

TEST(Naming, ALineOfBarePaperBreaksTheColour) {
  EXPECT_TRUE(NameLine({200, 200}, {400, 350}, 6, kLinesLayer, "comic", 140).breaks_colour);
  EXPECT_FALSE(NameLine({200, 200}, {400, 350}, 6, kLinesLayer, "comic", 92).breaks_colour);
  EXPECT_FALSE(NameLine({200, 200}, {400, 350}, 6, kLinesLayer, "comic", 30).breaks_colour)
      << "darker, not paler";
}

TEST(Naming, WhatIsNotLongIsADent) {
  EXPECT_EQ(NameLine({300, 300}, {306, 300}, 8).name, DefectName::kDent);
}

TEST(Naming, ALineInAnUnprintedSurfaceIsACrack) {
  EXPECT_EQ(NameLine({200, 200}, {400, 350}, 3, kStaticLayer, "surface").name, DefectName::kCrack);
  EXPECT_EQ(NameLine({200, 200}, {400, 350}, 3, kLinesLayer, "surface").name, DefectName::kCrack);
}

TEST(Naming, TellsAMissingCornerFromAWornOneByWhatShowsThere) {
  EXPECT_EQ(NameLoss({660, 0, 40, 50}, {50, 40, 30}), DefectName::kMissingCorner);
  EXPECT_EQ(NameLoss({660, 0, 40, 50}, {230, 225, 215}), DefectName::kWornCorner);
  EXPECT_EQ(NameLoss({0, 960, 30, 40}, {230, 225, 215}), DefectName::kWornCorner);
}

TEST(Naming, TellsATearFromAMissingPieceByItsShape) {
  EXPECT_EQ(NameLoss({300, 0, 8, 90}, {50, 40, 30}), DefectName::kTear);
  EXPECT_EQ(NameLoss({0, 400, 70, 8}, {50, 40, 30}), DefectName::kTear);
  EXPECT_EQ(NameLoss({300, 0, 90, 12}, {50, 40, 30}), DefectName::kMissingPiece)
      << "along the edge";
  EXPECT_EQ(NameLoss({300, 0, 50, 40}, {50, 40, 30}), DefectName::kMissingPiece);
}

TEST(Naming, WhatDiffersFromAGoodCopyIsAStainOrFading) {
  const Plane labels = NoLabels(kObject);
  Fill<std::int32_t>(labels, {200, 200, 80, 60}, 1);
  for (const auto& [kind, name] : {std::pair(RegionKind::kStain, DefectName::kStain),
                                   std::pair(RegionKind::kFading, DefectName::kFading)}) {
    const DefectRegion region = RegionOf(labels, 1, kind, kReferenceLayer);
    const Stroke stroke = StrokesOf(labels, 1, region.box, false).front();
    EXPECT_EQ(NameOf(region, stroke, {"card", kObject}, {Plane(), 0}), name);
  }
}

}  // namespace
}  // namespace glint
