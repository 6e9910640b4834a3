// SPDX-License-Identifier: Apache-2.0
// How wide lines are, from what the views show across them.
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/core.hpp>

#include "analyse/photometric/lines/line_width.h"
#include "analyse/photometric_drawing.h"
#include "stages/shared/photometric_arithmetic.h"
#include "support/status_matchers.h"
#include "support/stored.h"

namespace glint::photometric {
namespace {

constexpr Size kLined{200, 120};

/// Views with a line from left to right at y = 60, x = 20 .. 179: some show it brighter, some
/// darker, with `profile` across it.
struct DrawnLine {
  Plane ids = Filled(kLined, PixelType::kS32, 0);
  Plane direction = Filled(kLined, PixelType::kU8, 0);
  std::vector<Plane> residuals;

  template <class Profile>
  DrawnLine(Profile profile, int ridge_from, int ridge_to) {
    for (int x = ridge_from; x < ridge_to; ++x) {
      ids.Row<std::int32_t>(60)[x] = 1;
      direction.Row<std::uint8_t>(60)[x] = x % 5 == 0 ? 15 : 0;  // almost the same direction
    }
    cv::RNG random(8);
    for (int i = 0; i < 32; ++i) {
      Plane residual = Plane::Host(kLined, PixelType::kS16);
      for (int y = 0; y < kLined.height; ++y) {
        for (int x = 0; x < kLined.width; ++x) {
          const double light = x >= 20 && x < 180 ? 20 * std::sin(0.7 * i) * profile(y - 60) : 0;
          residual.Row<std::int16_t>(y)[x] =
              static_cast<std::int16_t>(std::lround((light + random.gaussian(1)) * kGrey));
        }
      }
      residuals.push_back(residual);
    }
  }

  absl::StatusOr<DrawnLines> Draw(int threads = 2, const LineWidthParams& params = {}) const {
    ThreadPool pool(threads);
    return DrawLines(ids, 1, direction, Stored(residuals), params, pool);
  }
};

double Bell(double t) { return std::exp(-0.5 * t * t); }

/// First and last marked row in the middle of the line.
std::pair<int, int> RowsOf(const Plane& mask) {
  std::pair<int, int> rows{mask.height(), -1};
  for (int y = 0; y < mask.height(); ++y) {
    if (mask.Row<std::uint8_t>(y)[100] == 0) continue;
    rows = {std::min(rows.first, y), y};
  }
  return rows;
}

TEST(LineWidth, IsThatOfWhatTheViewsShowWithoutItsBlur) {
  const auto thin = DrawnLine([](double d) { return Bell(d / 1.1); }, 20, 180).Draw();
  ASSERT_THAT(thin, IsOk());
  EXPECT_EQ(RowsOf(thin->mask), std::pair(59, 61));
  EXPECT_NEAR(thin->widths[0], 3, 0.3);
  const auto flat = [](double d) { return Bell(std::max(std::abs(d) - 5, 0.0) / 1.1); };
  const auto wide = DrawnLine(flat, 20, 180).Draw();
  ASSERT_THAT(wide, IsOk());
  EXPECT_NEAR(RowsOf(wide->mask).first, 54, 1);
  EXPECT_NEAR(RowsOf(wide->mask).second, 66, 1);
  EXPECT_NEAR(wide->widths[0], 13, 1.5);
  const auto again = DrawnLine(flat, 20, 180).Draw(1);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(cv::countNonZero(AsMat(wide->mask) != AsMat(again->mask)), 0);
}

TEST(LineWidth, MayDifferOnBothSides) {
  const auto drawn =
      DrawnLine([](double d) { return Bell(d / (d > 0 ? 5.0 : 1.1)); }, 20, 180).Draw();
  ASSERT_THAT(drawn, IsOk());
  EXPECT_EQ(RowsOf(drawn->mask).first, 59);
  EXPECT_NEAR(RowsOf(drawn->mask).second, 66, 1);
}

TEST(LineWidth, IsNotThatOfAnotherLineBeside) {
  const auto two = [](double d) { return Bell(d / 1.1) + Bell((d - 8) / 1.1); };
  const auto drawn = DrawnLine(two, 20, 180).Draw();
  ASSERT_THAT(drawn, IsOk());
  EXPECT_EQ(RowsOf(drawn->mask), std::pair(59, 61));
}

TEST(LineWidth, EndsWhereTheLineEndsAndNotItsRidge) {
  const auto drawn = DrawnLine([](double d) { return Bell(d / 1.1); }, 5, 195).Draw();
  ASSERT_THAT(drawn, IsOk());
  const auto* row = drawn->mask.Row<std::uint8_t>(60);
  for (int x = 24; x < 176; ++x) EXPECT_EQ(row[x], 255) << x;
  EXPECT_EQ(row[8], 0);
  EXPECT_EQ(row[191], 0);
}

TEST(LineWidth, LeavesOutSpursOfTheRidge) {
  const auto broad = [](double d) { return Bell(std::max(std::abs(d) - 18, 0.0) / 1.1); };
  DrawnLine line(broad, 20, 180);
  for (int y = 51; y < 60; ++y) {
    line.ids.Row<std::int32_t>(y)[100] = 1;
    line.direction.Row<std::uint8_t>(y)[100] = kDirections / 2;
  }
  LineWidthParams params;
  params.max_reach_px = 4;
  LineWidthParams with_spurs = params;
  with_spurs.min_same_direction_share = 0;
  const auto all = line.Draw(2, with_spurs), drawn = line.Draw(2, params);
  ASSERT_THAT(all, IsOk());
  ASSERT_THAT(drawn, IsOk());
  EXPECT_EQ(all->mask.Row<std::uint8_t>(52)[100], 255);
  EXPECT_EQ(drawn->mask.Row<std::uint8_t>(52)[100], 0);
  EXPECT_EQ(drawn->mask.Row<std::uint8_t>(60)[100], 255);
}

TEST(LineWidth, LeavesOutWhatTheSubtractionOfLightLeavesBeside) {
  for (const double share : {0.4, 0.95}) {
    const auto profile = [&](double d) { return Bell(d / 1.1) - share * Bell((d - 8) / 1.5); };
    DrawnLine line(profile, 20, 180);
    for (int x = 80; x < 120; ++x) line.ids.Row<std::int32_t>(68)[x] = 1;
    const auto drawn = line.Draw();
    ASSERT_THAT(drawn, IsOk());
    EXPECT_EQ(RowsOf(drawn->mask).second > 63, share > 0.5) << share << " of the line's strength";
    const auto all = line.Draw(2, {.min_side_lobe_share = 0});
    ASSERT_THAT(all, IsOk());
    EXPECT_GT(RowsOf(all->mask).second, 63) << share;
  }
}

TEST(LineWidth, LeavesOutStubsThatAreHardlyLongerThanWide) {
  const auto broad = [](double d) { return Bell(std::max(std::abs(d) - 4, 0.0) / 1.1); };
  const auto thin = [](double d) { return Bell(d / 1.1); };
  LineWidthParams with_stubs;
  with_stubs.max_stub_px = 0;
  const DrawnLine stub(broad, 97, 103);
  const auto all = stub.Draw(2, with_stubs), drawn = stub.Draw();
  ASSERT_THAT(all, IsOk());
  ASSERT_THAT(drawn, IsOk());
  EXPECT_EQ(all->mask.Row<std::uint8_t>(60)[100], 255);
  EXPECT_EQ(CountMarked(drawn->mask), 0);
  const auto short_line = DrawnLine(thin, 95, 105).Draw();
  ASSERT_THAT(short_line, IsOk());
  EXPECT_EQ(short_line->mask.Row<std::uint8_t>(60)[100], 255);
  const auto long_line = DrawnLine(broad, 85, 115).Draw();
  ASSERT_THAT(long_line, IsOk());
  EXPECT_EQ(long_line->mask.Row<std::uint8_t>(60)[100], 255);
}

TEST(LineWidth, OfNoLinesIsNothing) {
  ThreadPool pool(1);
  const auto none = DrawLines(Filled(kLined, PixelType::kS32, 0), 0,
                              Filled(kLined, PixelType::kU8, 0), {}, {}, pool);
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ(CountMarked(none->mask), 0);
  EXPECT_TRUE(none->widths.empty());
}

}  // namespace
}  // namespace glint::photometric
