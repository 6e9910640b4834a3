// SPDX-License-Identifier: Apache-2.0
#include "export/outlines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string_view>

namespace glint {
namespace {

Annotation Drawn(std::initializer_list<std::string_view> rows, int x = 0, int y = 0) {
  Annotation annotation;
  const auto width = static_cast<int>(rows.begin()->size());
  const auto height = static_cast<int>(rows.size());
  annotation.box = {x, y, width, height};
  annotation.mask = Plane::Host({width, height}, PixelType::kU8);
  int at = 0;
  for (const std::string_view row : rows) {
    std::ranges::transform(row, annotation.mask.Row<std::uint8_t>(at++),
                           [](char c) -> std::uint8_t { return c == '#' ? 255 : 0; });
  }
  return annotation;
}

/// Twice the area around which it goes clockwise.
std::int64_t Area2(const Polygon& polygon) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const PixelCorner a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    sum += std::int64_t{a.x} * b.y - std::int64_t{b.x} * a.y;
  }
  return sum;
}

/// Whether the polygons hold a pixel's centre, by how often a ray to the left of it crosses them.
bool Holds(const std::vector<Polygon>& polygons, int x, int y) {
  bool inside = false;
  for (const Polygon& polygon : polygons) {
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const PixelCorner a = polygon[i], b = polygon[(i + 1) % polygon.size()];
      if (a.x == b.x && a.x <= x && std::min(a.y, b.y) <= y && y < std::max(a.y, b.y)) {
        inside = !inside;
      }
    }
  }
  return inside;
}

void ExpectExact(const Annotation& annotation) {
  const std::vector<Polygon> polygons = Outlines(annotation);
  const Rectangle& box = annotation.box;
  std::int64_t marked = 0, area2 = 0;
  for (int y = 0; y < box.height; ++y) {
    for (int x = 0; x < box.width; ++x) {
      const bool expected = annotation.mask.Row<std::uint8_t>(y)[x] != 0;
      marked += expected ? 1 : 0;
      ASSERT_EQ(Holds(polygons, box.x + x, box.y + y), expected) << x << ", " << y;
    }
  }
  for (const Polygon& polygon : polygons) {
    EXPECT_GT(Area2(polygon), 0) << "clockwise";
    area2 += Area2(polygon);
  }
  EXPECT_EQ(area2, 2 * marked);
}

TEST(Outlines, GoAlongTheBordersOfPixels) {
  EXPECT_EQ(Outlines(Drawn({"##", "##"}, 5, 7)),
            (std::vector<Polygon>{{{5, 7}, {7, 7}, {7, 9}, {5, 9}}}));
  EXPECT_EQ(Outlines(Drawn({"#.", "##"})),
            (std::vector<Polygon>{{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {2, 2}, {0, 2}}}));
}

TEST(Outlines, TakeApartWhatOnlySharesACorner) {
  EXPECT_EQ(Outlines(Drawn({"#.", ".#"})).size(), 2U);
  ExpectExact(Drawn({"#.", ".#"}));
  ExpectExact(Drawn({".#.", "#.#", ".#."}));
}

TEST(Outlines, CutTheirWayToHoles) {
  for (const Annotation& annotation :
       {Drawn({"###", "#.#", "###"}), Drawn({"#####", "#.#.#", "#####", "#.#.#", "#####"}),
        Drawn({"#######", "#.....#", "#.###.#", "#.#.#.#", "#.###.#", "#.....#", "#######"}),
        Drawn({"####", "#..#", "##.#", "####"}), Drawn({"######", "#.#..#", "##.#.#", "######"})}) {
    ExpectExact(annotation);
  }
  EXPECT_EQ(Outlines(Drawn({"###", "#.#", "###"})).size(), 1U);
}

TEST(Outlines, AreExactWhateverTheMask) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    Annotation annotation;
    annotation.box = {3, 4, 1 + round, 40};
    annotation.mask = Plane::Host({annotation.box.width, 40}, PixelType::kU8);
    for (int y = 0; y < 40; ++y) {
      std::generate_n(annotation.mask.Row<std::uint8_t>(y), annotation.box.width, [&] {
        return static_cast<std::uint8_t>(static_cast<int>(random() % 60) < round ? 255 : 0);
      });
    }
    ExpectExact(annotation);
  }
}

}  // namespace
}  // namespace glint
