// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/streak_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace glint::photometric {
namespace {

constexpr Size kSize{90, 70};
constexpr std::int32_t kMost = 400;

struct Drawn {
  Plane streaks = Plane::Host(kSize, PixelType::kU8);
  Plane directions = Plane::Host(kSize, PixelType::kU8);
  Plane energy = Plane::Host(kSize, PixelType::kS32);

  Drawn() {
    std::mt19937 random(7);
    for (int y = 0; y < kSize.height; ++y) {
      for (int x = 0; x < kSize.width; ++x) {
        streaks.Row<std::uint8_t>(y)[x] =
            static_cast<std::uint8_t>(random() % 5 == 0 ? random() % 16 + 1 : 0);
        directions.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(random() % 16);
        energy.Row<std::int32_t>(y)[x] = static_cast<std::int32_t>(random() % 1000);
      }
    }
  }
};

/// One pixel of a row or of a parallel, rounded by itself.
struct Place {
  int x, y;

  Place(int middle_x, int middle_y, int along, int side, const RowDirection& of)
      : x(static_cast<int>(std::lround(middle_x + along * of.cosine - side * of.sine))),
        y(static_cast<int>(std::lround(middle_y + along * of.sine + side * of.cosine))) {}
};

TEST(StreakRows, CountAndAddWhatAWalkAlongEachRowMeetsInsideThePicture) {
  const Drawn drawn;
  const StreakField field(drawn.streaks, drawn.directions, drawn.energy, kMost);
  int usable = 0;
  for (int degrees = 0; degrees < 180; degrees += 7) {
    const double radians = degrees * std::numbers::pi / 180;
    const RowDirection of{std::cos(radians), std::sin(radians), 0x00ff, 0x0ff0};
    const StreakRows rows(field, of, 20);
    if (!rows.usable()) continue;
    ++usable;
    for (const int half : {8, 20}) {
      for (int y = 0; y < kSize.height; y += 3) {
        for (int x = 0; x < kSize.width; x += 3) {
          int streaks = 0;
          std::int64_t evidence = 0;
          for (int along = -half; along <= half; ++along) {
            bool any = false;
            std::int32_t most = 0;
            for (int side = -1; side <= 1; ++side) {
              const Place at(x, y, along, side, of);
              if (at.x < 0 || at.y < 0 || at.x >= kSize.width || at.y >= kSize.height) continue;
              const int streak = drawn.streaks.Row<std::uint8_t>(at.y)[at.x];
              any = any || (streak != 0 && (of.streaks >> (streak - 1) & 1) != 0);
              if ((of.evidence >> drawn.directions.Row<std::uint8_t>(at.y)[at.x] & 1) == 0)
                continue;
              most = std::max(most, std::min(drawn.energy.Row<std::int32_t>(at.y)[at.x], kMost));
            }
            streaks += any ? 1 : 0;
            evidence += most;
          }
          ASSERT_EQ(rows.Streaks(x, y, half), streaks) << degrees << " at " << x << ", " << y;
          ASSERT_EQ(rows.Evidence(x, y, half), evidence) << degrees << " at " << x << ", " << y;
        }
      }
    }
  }
  EXPECT_GT(usable, 20);
}

TEST(StreakRows, ADirectionThatPassesHalfWayBetweenPixelsHasNoTable) {
  const Drawn drawn;
  const StreakField field(drawn.streaks, drawn.directions, drawn.energy, kMost);
  const auto rows = [&](double degrees) {
    const double radians = degrees * std::numbers::pi / 180;
    return StreakRows(field, {std::cos(radians), std::sin(radians), 1, 1}, 10);
  };
  EXPECT_FALSE(rows(30).usable());
  EXPECT_FALSE(rows(120).usable());
  EXPECT_TRUE(rows(33.75).usable());
}

}  // namespace
}  // namespace glint::photometric
