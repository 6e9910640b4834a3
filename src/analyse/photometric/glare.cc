// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/glare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/for_rows.h"
#include "base/median.h"
#include "base/normal_equations.h"

namespace glint::photometric {
namespace {

constexpr int kPatchBlocks = 4;
constexpr int kPatch = kPatchBlocks * kBlock;  // px
constexpr double kGreys = kBlock * kBlock;     // units of a block's sum per grey
constexpr int kRounds = 5;
constexpr double kTukey = 4.685;
constexpr double kUnseen = -1e9;

/// Mean grey of one patch of 16x16 pixels.
struct Patch {
  double x = 0, y = 0;  ///< -0.5..0.5 of the object
  double view = 0, artwork = 0;
  bool seen = false;
};

struct PatchGrid {
  int columns = 0, rows = 0;
  std::vector<Patch> all;

  std::size_t At(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(x);
  }
};

Patch PatchAt(const BlockSums& artwork, const BlockSums& view, int x, int y) {
  std::int64_t count = 0, v = 0, m = 0;
  for (int row = y * kPatchBlocks; row < (y + 1) * kPatchBlocks; ++row) {
    for (int column = x * kPatchBlocks; column < (x + 1) * kPatchBlocks; ++column) {
      const std::size_t block = view.At(column, row);
      if (view.seen[block] == 0 || artwork.seen[block] == 0) continue;
      ++count;
      v += view.grey[block];
      m += artwork.grey[block];
    }
  }
  if (2 * count < std::int64_t{kPatchBlocks} * kPatchBlocks) return {};
  const double unit = kGreys * static_cast<double>(count);
  return {.view = static_cast<double>(v) / unit,
          .artwork = static_cast<double>(m) / unit,
          .seen = true};
}

PatchGrid PatchesOf(const BlockSums& artwork, const BlockSums& view) {
  PatchGrid patches{
      .columns = view.columns / kPatchBlocks, .rows = view.rows / kPatchBlocks, .all = {}};
  for (int y = 0; y < patches.rows; ++y) {
    for (int x = 0; x < patches.columns; ++x) {
      Patch patch = PatchAt(artwork, view, x, y);
      patch.x = (x + 0.5) / patches.columns - 0.5;
      patch.y = (y + 0.5) / patches.rows - 0.5;
      patches.all.push_back(patch);
    }
  }
  return patches;
}

/// A gain that varies evenly.
struct GainPlane {
  double gain = 1, slope_x = 0, slope_y = 0;

  double At(const Patch& patch) const { return gain + slope_x * patch.x + slope_y * patch.y; }
};

/// One round of weighted least squares. @param scale  of what the light does not explain
GainPlane Refit(const std::vector<Patch>& patches, const GainPlane& light, double scale) {
  NormalEquations equations(3);
  for (const Patch& patch : patches) {
    const double gain = patch.view / patch.artwork;
    const double t = (gain - light.At(patch)) / (kTukey * scale);
    if (std::abs(t) >= 1) continue;
    equations.Add({1, patch.x, patch.y}, gain, (1 - t * t) * (1 - t * t));
  }
  const auto solved = equations.SolveByElimination();
  return solved ? GainPlane{(*solved)[0], (*solved)[1], (*solved)[2]} : light;
}

GainPlane FitGain(const PatchGrid& patches, const GlareParams& params) {
  std::vector<Patch> fitted;
  std::vector<double> gains;
  for (const Patch& patch : patches.all) {
    if (!patch.seen || patch.artwork < params.min_albedo_grey) continue;
    fitted.push_back(patch);
    gains.push_back(patch.view / patch.artwork);
  }
  if (fitted.empty()) return {};
  GainPlane light{.gain = UpperMedian(gains)};
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> residuals;
    residuals.reserve(fitted.size());
    for (const Patch& patch : fitted)
      residuals.push_back(std::abs(patch.view / patch.artwork - light.At(patch)));
    light = Refit(fitted, light,
                  std::max(kDeviationsPerMad * UpperMedian(residuals), params.min_gain_spread));
  }
  return light;
}

/// How much brighter each patch's neighbourhood is than it should be, grey.
std::vector<double> ExcessOf(const BlockSums& artwork, const BlockSums& view,
                             const GlareParams& params) {
  const PatchGrid patches = PatchesOf(artwork, view);
  const GainPlane light = FitGain(patches, params);
  std::vector<double> excess(patches.all.size(), kUnseen);
  for (int y = 0; y < patches.rows; ++y) {
    for (int x = 0; x < patches.columns; ++x) {
      double sum = 0;
      int count = 0;
      for (int v = std::max(y - 1, 0); v <= std::min(y + 1, patches.rows - 1); ++v) {
        for (int u = std::max(x - 1, 0); u <= std::min(x + 1, patches.columns - 1); ++u) {
          const Patch& patch = patches.all[patches.At(u, v)];
          if (!patch.seen) continue;
          sum += patch.view - light.At(patch) * patch.artwork;
          ++count;
        }
      }
      if (patches.all[patches.At(x, y)].seen) excess[patches.At(x, y)] = sum / count;
    }
  }
  return excess;
}

/// Per patch, the second largest of all views, in 1/16 grey, 0 where there is none.
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

/// Marks where the values between patches are large enough.
void Mark(const std::vector<std::int32_t>& values, int columns, int rows, double min_excess,
          Rows part, const Plane& out) {
  const auto value = [&](int x, int y) {
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(x)];
  };
  // Where a pixel lies between the middles of patches: the first of them and 1/32.
  const auto place = [](int pixel, int count) {
    const int at = std::clamp(2 * pixel + 1 - kPatch, 0, 2 * kPatch * (count - 1));
    return std::pair(std::min(at / (2 * kPatch), std::max(count - 2, 0)), at);
  };
  constexpr std::int32_t kFull = 2 * kPatch;
  const std::int32_t limit = static_cast<std::int32_t>(min_excess * 16) * kFull * kFull;
  for (int y = part.begin; y < part.end; ++y) {
    auto* row = out.Row<std::uint8_t>(y);
    const auto [top, at_y] = place(y, rows);
    const int bottom = std::min(top + 1, rows - 1), fy = at_y - top * kFull;
    for (int x = 0; x < out.width(); ++x) {
      const auto [left, at_x] = place(x, columns);
      const int right = std::min(left + 1, columns - 1), fx = at_x - left * kFull;
      const std::int32_t above = value(left, top) * (kFull - fx) + value(right, top) * fx;
      const std::int32_t below = value(left, bottom) * (kFull - fx) + value(right, bottom) * fx;
      row[x] = above * (kFull - fy) + below * fy >= limit ? 255 : 0;
    }
  }
}

}  // namespace

Plane FindGlare(const BlockSums& artwork, std::span<const BlockSums> views, Size size,
                const GlareParams& params, ThreadPool& pool) {
  Plane glare = Plane::Host(size, PixelType::kU8);
  const int columns = artwork.columns / kPatchBlocks, rows = artwork.rows / kPatchBlocks;
  std::vector<std::vector<double>> excess(views.size());
  pool.ParallelFor(std::ssize(excess), [&](std::int64_t i) {
    const auto view = static_cast<std::size_t>(i);
    excess[view] = ExcessOf(artwork, views[view], params);
  });
  const bool any = columns > 0 && rows > 0 && !excess.empty();
  const std::vector<std::int32_t> second =
      any ? SecondLargest(excess) : std::vector<std::int32_t>();
  ForRows(pool, size.height, [&](Rows part) {
    for (int y = part.begin; y < part.end && !any; ++y) {
      std::fill_n(glare.Row<std::uint8_t>(y), size.width, std::uint8_t{0});
    }
    if (any) Mark(second, columns, rows, params.min_excess_grey, part, glare);
  });
  return glare;
}

}  // namespace glint::photometric
