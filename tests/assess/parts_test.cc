// SPDX-License-Identifier: Apache-2.0
#include "assess/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assess/drawing.h"

namespace glint {
namespace {

constexpr Size kSizes[] = {{600, 800}, {800, 600}, {200, 900}, {17, 16}};

TEST(Parts, TileTheObjectWithoutOverlapping) {
  for (const char* type : {"comic", "card", "surface"}) {
    for (const Size size : kSizes) {
      const auto parts = PartsOf(type, size);
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
          int holds = 0;
          for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            const Rectangle& box = parts[i].box;
            holds += x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
          }
          ASSERT_LE(holds, 1) << type << " " << size.width << " at " << x << ", " << y;
          ASSERT_EQ(PartAt(parts, x, y) + 1 == parts.size(), holds == 0);
        }
      }
    }
  }
}

TEST(Parts, AComicHasASpineOthersALeftEdge) {
  EXPECT_EQ(PartsOf("comic", {600, 800})[4].name, "spine");
  const auto back = PartsOf("comic", {600, 800}, ObjectSide::kBack);
  EXPECT_EQ(back[4].name, "edge_left");
  EXPECT_EQ(back[6].name, "spine");
  EXPECT_EQ(back[6].box, (Rectangle{552, 96, 48, 608}));
  EXPECT_EQ(PartsOf("card", {600, 800})[4].name, "edge_left");
}

TEST(Parts, AddUpToTheWholeObject) {
  const Size size{600, 800};
  const Plane mask = Grey(size, 0), seen = Grey(size, 255);
  Fill<std::uint8_t>(mask, {0, 0, 40, 600}, 255);
  Fill<std::uint8_t>(mask, {300, 300, 50, 60}, 255);
  Fill<std::uint8_t>(seen, {0, 700, 600, 100}, 0);
  auto parts = PartsOf("comic", size);
  MeasureParts(mask, seen, parts);
  std::int64_t damaged = 0, all = 0;
  for (const ObjectPart& part : parts) {
    damaged += part.damaged_px;
    all += part.seen_px;
  }
  EXPECT_EQ(damaged, 40 * 600 + 50 * 60);
  EXPECT_EQ(all, 600 * 700);
  EXPECT_FALSE(parts[2].damaged_percent) << "the bottom right corner was not seen";
  EXPECT_DOUBLE_EQ(*parts[8].damaged_percent, 100.0 * static_cast<double>(parts[8].damaged_px) /
                                                  static_cast<double>(parts[8].seen_px));
}

TEST(Parts, CountToTheAxesOfGraders) {
  EXPECT_EQ(AxisOf("corner_tl"), Axis::kCorners);
  EXPECT_EQ(AxisOf("spine"), Axis::kEdges);
  EXPECT_EQ(AxisOf("edge_top"), Axis::kEdges);
  EXPECT_EQ(AxisOf("face"), Axis::kSurface);
}

}  // namespace
}  // namespace glint
