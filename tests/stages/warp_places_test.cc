// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/warp_places.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cmath>
#include <random>

#include "stages/shared/sheet_warp_arithmetic.h"
#include "stages/shared/warp_coordinates.h"

namespace glint {
namespace {

TEST(WarpPlaces, AreThoseOfTheSharedArithmetic) {
  const Homography homographies[] = {
      {1, 0, 0, 0, 1, 0, 0, 0, 1},
      {0.93, 0.11, 4.2, -0.07, 1.04, 1.7, 4e-4, -3e-4, 1.01},
      {1e-3, 7, -9, 3, 1.0 / 3, 0.1, 1, 1, -40},                   // the horizon crosses the row
      {1e308, 1e308, 1e308, -1e308, 1e308, -1e308, 0, 0, 1e-300},  // infinities and no numbers
      {},
  };
  for (const Homography& h : homographies) {
    for (const int width : {1, 2, 7, 8, 9, 1000}) {
      for (const int row : {0, 1, 719}) {
        WarpPlaces places(width);
        places.Fill(h, row, {640, 480});
        for (int x = 0; x < width; ++x) {
          const warp::Place expected = warp::PlaceOf(h.data(), x, row, 640, 480);
          const auto i = static_cast<std::size_t>(x);
          ASSERT_EQ(places.x[i], expected.x) << x << ", " << row << ", of " << width;
          ASSERT_EQ(places.y[i], expected.y) << x << ", " << row << ", of " << width;
        }
      }
    }
  }
}

TEST(WarpPlaces, OfASheetAreThoseOfTheSharedArithmeticWithEveryInstructionSet) {
  constexpr Homography kH = {0.93, 0.11, 4.2, -0.07, 1.04, 1.7, 4e-4, -3e-4, 1.01};
  constexpr int kStep = warp::kDisplacementStep;
  std::mt19937 random(1);
  const auto at = [](const std::vector<std::int32_t>& nodes, int x) {
    const auto* left = nodes.data() + x / kStep;
    return (kStep - x % kStep) * left[0] + x % kStep * left[1];
  };
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const int width : {1, 7, 8, 9, 203}) {
      DisplacedRow row{.row = 91};
      for (int node = 0; node < (width - 1) / kStep + 2; ++node) {
        row.x.push_back(static_cast<std::int32_t>(random() % 16001) - 8000);
        row.y.push_back(static_cast<std::int32_t>(random() % 16001) - 8000);
      }
      WarpPlaces places(width);
      places.FillDisplaced(kH, row, {640, 480});
      for (int x = 0; x < width; ++x) {
        const warp::Place expected = warp::PlaceOf(kH.data(), warp::Displaced(x, at(row.x, x)),
                                                   warp::Displaced(91, at(row.y, x)), 640, 480);
        const auto i = static_cast<std::size_t>(x);
        ASSERT_EQ(places.x[i], expected.x) << x << " of " << width << ", target " << target;
        ASSERT_EQ(places.y[i], expected.y) << x << " of " << width << ", target " << target;
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(WarpPlaces, AreRoundedToTheNearestAndKeptNearTheSource) {
  // By hand: units of 1/1024 px; -2 and side + 1 px stand for all that lies farther out.
  struct Case {
    double position;
    int expected;
  };
  for (const Case& c : {Case{0, 0}, Case{1.0 / 2048, 1}, Case{0.99 / 2048, 0}, Case{-1.0 / 2048, 0},
                        Case{-1.01 / 2048, -1}, Case{3.5, 3584}, Case{-1e300, -2048},
                        Case{1e300, 11 * 1024}, Case{std::nan(""), -2048}}) {
    EXPECT_EQ(warp::Quantise(c.position, 10), c.expected) << c.position;
  }
}

}  // namespace
}  // namespace glint
