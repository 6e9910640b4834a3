// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/glare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/median.h"
#include "base/normal_equations.h"
#include "stages/cpu/photometric_input.h"

namespace glint::photometric {
namespace {

constexpr int kSpotBlocks = 4;
constexpr int kSpot = kSpotBlocks * kBlock;  // px
constexpr double kGreys = kBlock * kBlock;   // units of a block's sum per grey
constexpr double kShining = 24;              // grey
constexpr double kDarkest = 24;              // grey: darker print says little about a gain
constexpr int kRounds = 5;
constexpr double kTukey = 4.685;
constexpr double kMinSpread = 0.02;  // of the gain
constexpr double kUnseen = -1e9;

/// Mean grey of one spot of 16x16 pixels.
struct Spot {
  double x = 0, y = 0;  ///< -0.5..0.5 of the object
  double view = 0, artwork = 0;
  bool seen = false;
};

struct Spots {
  int columns = 0, rows = 0;
  std::vector<Spot> all;

  std::size_t At(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(x);
  }
};

Spot SpotAt(const BlockSums& artwork, const BlockSums& view, int x, int y) {
  std::int64_t count = 0, v = 0, m = 0;
  for (int row = y * kSpotBlocks; row < (y + 1) * kSpotBlocks; ++row) {
    for (int column = x * kSpotBlocks; column < (x + 1) * kSpotBlocks; ++column) {
      const std::size_t block = view.At(column, row);
      if (view.seen[block] == 0 || artwork.seen[block] == 0) continue;
      ++count;
      v += view.grey[block];
      m += artwork.grey[block];
    }
  }
  if (2 * count < std::int64_t{kSpotBlocks} * kSpotBlocks) return {};
  const double unit = kGreys * static_cast<double>(count);
  return {.view = static_cast<double>(v) / unit,
          .artwork = static_cast<double>(m) / unit,
          .seen = true};
}

Spots SpotsOf(const BlockSums& artwork, const BlockSums& view) {
  Spots spots{.columns = view.columns / kSpotBlocks, .rows = view.rows / kSpotBlocks, .all = {}};
  for (int y = 0; y < spots.rows; ++y) {
    for (int x = 0; x < spots.columns; ++x) {
      Spot spot = SpotAt(artwork, view, x, y);
      spot.x = (x + 0.5) / spots.columns - 0.5;
      spot.y = (y + 0.5) / spots.rows - 0.5;
      spots.all.push_back(spot);
    }
  }
  return spots;
}

/// A gain that varies evenly.
struct Light {
  double gain = 1, slope_x = 0, slope_y = 0;

  double At(const Spot& spot) const { return gain + slope_x * spot.x + slope_y * spot.y; }
};

/// One round of weighted least squares. @param scale  of what the light does not explain
Light Refit(const std::vector<Spot>& spots, const Light& light, double scale) {
  NormalEquations equations(3);
  for (const Spot& spot : spots) {
    const double gain = spot.view / spot.artwork;
    const double t = (gain - light.At(spot)) / (kTukey * scale);
    if (std::abs(t) >= 1) continue;
    equations.Add({1, spot.x, spot.y}, gain, (1 - t * t) * (1 - t * t));
  }
  const auto solved = equations.SolveByElimination();
  return solved ? Light{(*solved)[0], (*solved)[1], (*solved)[2]} : light;
}

Light FitLight(const Spots& spots) {
  std::vector<Spot> told;
  std::vector<double> gains;
  for (const Spot& spot : spots.all) {
    if (!spot.seen || spot.artwork < kDarkest) continue;
    told.push_back(spot);
    gains.push_back(spot.view / spot.artwork);
  }
  if (told.empty()) return {};
  Light light{.gain = UpperMedian(gains)};
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> rests;
    rests.reserve(told.size());
    for (const Spot& spot : told)
      rests.push_back(std::abs(spot.view / spot.artwork - light.At(spot)));
    light = Refit(told, light, std::max(kDeviationsPerMad * UpperMedian(rests), kMinSpread));
  }
  return light;
}

/// How much brighter each spot's neighbourhood is than it should be, grey.
std::vector<double> Shine(const BlockSums& artwork, const BlockSums& view) {
  const Spots spots = SpotsOf(artwork, view);
  const Light light = FitLight(spots);
  std::vector<double> shine(spots.all.size(), kUnseen);
  for (int y = 0; y < spots.rows; ++y) {
    for (int x = 0; x < spots.columns; ++x) {
      double sum = 0;
      int count = 0;
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, spots.rows - 1); ++v) {
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, spots.columns - 1); ++u) {
          const Spot& spot = spots.all[spots.At(u, v)];
          if (!spot.seen) continue;
          sum += spot.view - light.At(spot) * spot.artwork;
          ++count;
        }
      }
      if (spots.all[spots.At(x, y)].seen) shine[spots.At(x, y)] = sum / count;
    }
  }
  return shine;
}

/// Per spot, the second largest of all views, in 1/16 grey, 0 where there is none.
std::vector<std::int32_t> SecondLargest(const std::vector<std::vector<double>>& views) {
  std::vector<std::int32_t> second;
  for (std::size_t i = 0; i < views[0].size(); ++i) {
    double most = kUnseen, next = kUnseen;
    for (const auto& view : views) {
      next = std::max(next, std::min(view[i], most));
      most = std::max(most, view[i]);
    }
    second.push_back(static_cast<std::int32_t>(std::max(next, 0.0) * 16));
  }
  return second;
}

/// Marks where the values between spots are large enough.
void Mark(const std::vector<std::int32_t>& values, int columns, int rows, Rows part,
          const Plane& out) {
  const auto value = [&](int x, int y) {
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(x)];
  };
  // Where a pixel lies between the middles of spots: the first of them and 1/32.
  const auto place = [](int pixel, int count) {
    const int at = std::clamp(2 * pixel + 1 - kSpot, 0, 2 * kSpot * (count - 1));
    return std::pair(std::min(at / (2 * kSpot), std::max(count - 2, 0)), at);
  };
  constexpr std::int32_t kFull = 2 * kSpot;
  constexpr auto kLimit = static_cast<std::int32_t>(kShining * 16) * kFull * kFull;
  for (int y = part.begin; y < part.end; ++y) {
    auto* row = out.Row<std::uint8_t>(y);
    const auto [top, at_y] = place(y, rows);
    const int bottom = std::min(top + 1, rows - 1), fy = at_y - top * kFull;
    for (int x = 0; x < out.width(); ++x) {
      const auto [left, at_x] = place(x, columns);
      const int right = std::min(left + 1, columns - 1), fx = at_x - left * kFull;
      const std::int32_t above = value(left, top) * (kFull - fx) + value(right, top) * fx;
      const std::int32_t below = value(left, bottom) * (kFull - fx) + value(right, bottom) * fx;
      row[x] = above * (kFull - fy) + below * fy >= kLimit ? 255 : 0;
    }
  }
}

}  // namespace

Plane FindGlare(const BlockSums& artwork, std::span<const BlockSums> views, Size size,
                ThreadPool& pool) {
  Plane glare = Plane::Host(size, PixelType::kU8);
  const int columns = artwork.columns / kSpotBlocks, rows = artwork.rows / kSpotBlocks;
  std::vector<std::vector<double>> shine(views.size());
  pool.ParallelFor(std::ssize(shine), [&](std::int64_t i) {
    const auto view = static_cast<std::size_t>(i);
    shine[view] = Shine(artwork, views[view]);
  });
  const bool any = columns > 0 && rows > 0 && !shine.empty();
  const std::vector<std::int32_t> second = any ? SecondLargest(shine) : std::vector<std::int32_t>();
  ForRows(pool, size.height, [&](Rows part) {
    for (int y = part.begin; y < part.end && !any; ++y) {
      std::fill_n(glare.Row<std::uint8_t>(y), size.width, std::uint8_t{0});
    }
    if (any) Mark(second, columns, rows, part, glare);
  });
  return glare;
}

}  // namespace glint::photometric
