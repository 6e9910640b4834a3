// SPDX-License-Identifier: Apache-2.0
#include "analyse/item_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::Field;
using testing::HasSubstr;
using testing::Optional;

Plane Filled(Size size, std::uint8_t value) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y)
    std::memset(plane.Row<std::uint8_t>(y), value, static_cast<std::size_t>(size.width));
  return plane;
}

void Fill(const Plane& plane, const Rectangle& box, std::uint8_t value) {
  for (int y = box.y; y < box.y + box.height; ++y) {
    std::memset(plane.Row<std::uint8_t>(y) + box.x, value, static_cast<std::size_t>(box.width));
  }
}

TEST(ItemTypes, NamesTheirParts) {
  const std::map<std::string, std::vector<std::string>> expected = {
      {"comic", {"spine", "corner_tl", "corner_tr", "corner_br", "corner_bl", "surface"}},
      {"card", {"corner_tl", "corner_tr", "corner_br", "corner_bl", "surface"}},
      {"page", {"corner_tl", "corner_tr", "corner_br", "corner_bl", "surface"}},
      {"generic", {"corner_tl", "corner_tr", "corner_br", "corner_bl", "surface"}},
      {"surface", {"surface"}},
  };
  std::map<std::string, std::vector<std::string>> actual;
  for (const ItemType& type : ItemTypes()) {
    for (const NamedArea& area : type.areas) {
      actual[std::string(type.name)].emplace_back(area.name);
    }
  }
  EXPECT_EQ(actual, expected);
}

TEST(ItemTypes, AreFoundByNameAndRefusedWithTheListOfNames) {
  for (const ItemType& type : ItemTypes()) EXPECT_EQ(*FindItemType(type.name), &type);
  for (const char* name : {"toy", "", "Comic"}) {
    EXPECT_THAT(FindItemType(name), FailsWith(Reason::kInvalidOption,
                                              HasSubstr("comic, card, page, generic, surface")));
  }
}

TEST(NamedArea, LiesWhereTheTableSays) {
  const ItemType* comic = *FindItemType("comic");
  std::map<std::string_view, Rectangle> boxes;
  for (const NamedArea& area : comic->areas) boxes[area.name] = area.On({1000, 1500});
  EXPECT_EQ(boxes["spine"], (Rectangle{0, 0, 80, 1500}));
  EXPECT_EQ(boxes["corner_tl"], (Rectangle{0, 0, 150, 180}));
  EXPECT_EQ(boxes["corner_tr"], (Rectangle{850, 0, 150, 180}));
  EXPECT_EQ(boxes["corner_br"], (Rectangle{850, 1320, 150, 180}));
  EXPECT_EQ(boxes["corner_bl"], (Rectangle{0, 1320, 150, 180}));
  EXPECT_EQ(boxes["surface"], (Rectangle{200, 300, 600, 900}));
}

TEST(NamedArea, HoldsAPixelInsideTheSmallestObject) {
  for (const ItemType& type : ItemTypes()) {
    for (const NamedArea& area : type.areas) {
      for (const Size size : {Size{1, 1}, Size{2, 5}, Size{7, 3}}) {
        const Rectangle box = area.On(size);
        EXPECT_GE(box.width, 1);
        EXPECT_GE(box.height, 1);
        EXPECT_LE(box.x + box.width, size.width) << type.name << " " << area.name;
        EXPECT_LE(box.y + box.height, size.height) << type.name << " " << area.name;
      }
    }
  }
}

TEST(DamagedPercent, CountsMarkedPixelsAmongThoseSeen) {
  const Size size{20, 10};
  const Plane mask = Filled(size, 0);
  Fill(mask, {0, 0, 10, 5}, 255);
  const Plane all = Filled(size, 255);
  EXPECT_THAT(DamagedPercent(mask, all), Optional(25.0));
  EXPECT_THAT(DamagedPercent(mask, all, {0, 0, 10, 10}), Optional(50.0));
  EXPECT_THAT(DamagedPercent(mask, all, {10, 0, 10, 10}), Optional(0.0));

  const Plane half = Filled(size, 255);
  Fill(half, {0, 0, 10, 10}, 0);  // the damage lies where nothing was seen
  EXPECT_THAT(DamagedPercent(mask, half), Optional(0.0));
  EXPECT_EQ(DamagedPercent(mask, half, {0, 0, 10, 10}), std::nullopt);
  EXPECT_THAT(DamagedPercent(mask, half, {0, 0, 20, 10}), Optional(0.0));  // just half of it
  Fill(half, {10, 0, 1, 1}, 0);
  EXPECT_EQ(DamagedPercent(mask, half, {0, 0, 20, 10}), std::nullopt);
}

TEST(MarkedPercent, CountsPixelsOfTheWholeOrOfAPart) {
  const Size size{20, 10};
  const Plane mask = Filled(size, 0), part = Filled(size, 0);
  Fill(mask, {0, 0, 10, 5}, 255);
  Fill(part, {5, 0, 10, 10}, 255);
  EXPECT_EQ(MarkedPercent(mask), 25);
  EXPECT_EQ(MarkedPercent(mask, part), 25);
  EXPECT_EQ(MarkedPercent(part, mask), 50);
  EXPECT_EQ(MarkedPercent(mask, Filled(size, 0)), 0);
  EXPECT_EQ(MarkedPercent(Both(mask, part)), 12.5);
  EXPECT_EQ(Both(mask, part).Row<std::uint8_t>(4)[9], 255);
  EXPECT_EQ(MarkedPercent(Unmarked(mask)), 75);
  EXPECT_EQ(Unmarked(mask).Row<std::uint8_t>(4)[9], 0);
  EXPECT_EQ(Unmarked(mask).Row<std::uint8_t>(5)[9], 255);
}

TEST(NamedRegions, GiveUnknownForAPartThatWasNotSeen) {
  const Size size{100, 100};
  const Plane mask = Filled(size, 0);
  Fill(mask, {85, 88, 15, 6}, 255);  // half of the lower right corner
  const Plane seen = Filled(size, 255);
  Fill(seen, {0, 0, 15, 12}, 0);
  const auto regions = MeasureNamedRegions(**FindItemType("card"), mask, seen);
  const auto percent = [](const auto& is) { return Field(&NamedRegion::damaged_percent, is); };
  EXPECT_THAT(regions,
              ElementsAre(percent(Eq(std::nullopt)), percent(Optional(0.0)),
                          percent(Optional(50.0)), percent(Optional(0.0)), percent(Optional(0.0))));
  EXPECT_EQ(regions[2].name, "corner_br");
  EXPECT_EQ(regions[2].box, (Rectangle{85, 88, 15, 12}));
}

}  // namespace
}  // namespace glint
