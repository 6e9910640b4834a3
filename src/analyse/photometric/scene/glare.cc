// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/scene/glare.h"

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

constexpr double kGreys = kBlock * kBlock;  // units of a block's sum per grey
constexpr double kUnseen = -1e9;

/// Mean grey of one patch of 16x16 pixels.
struct Patch {
  double x = 0, y = 0;  ///< -0.5..0.5 of the object
  double view = 0, albedo = 0;
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

Patch PatchAt(const BlockSums& albedo, const BlockSums& view, int x, int y, int side) {
  std::int64_t count = 0, v = 0, m = 0;
  for (int row = y * side; row < (y + 1) * side; ++row) {
    for (int column = x * side; column < (x + 1) * side; ++column) {
      const std::size_t block = view.At(column, row);
      if (view.seen[block] == 0 || albedo.seen[block] == 0) continue;
      ++count;
      v += view.grey[block];
      m += albedo.grey[block];
    }
  }
  if (2 * count < std::int64_t{side} * side) return {};
  const double unit = kGreys * static_cast<double>(count);
  return {
      .view = static_cast<double>(v) / unit, .albedo = static_cast<double>(m) / unit, .seen = true};
}

PatchGrid PatchesOf(const BlockSums& albedo, const BlockSums& view, int side) {
  PatchGrid patches{.columns = view.columns / side, .rows = view.rows / side, .all = {}};
  for (int y = 0; y < patches.rows; ++y) {
    for (int x = 0; x < patches.columns; ++x) {
      Patch patch = PatchAt(albedo, view, x, y, side);
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

/// One round of weighted least squares. @param reach  from the plane, at which a patch has no
/// weight
GainPlane Refit(const std::vector<Patch>& patches, const GainPlane& light, double reach) {
  NormalEquations equations(3);
  for (const Patch& patch : patches) {
    const double gain = patch.view / patch.albedo;
    const double t = (gain - light.At(patch)) / reach;
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
    if (!patch.seen || patch.albedo < params.min_albedo_grey) continue;
    fitted.push_back(patch);
    gains.push_back(patch.view / patch.albedo);
  }
  if (fitted.empty()) return {};
  GainPlane light{.gain = UpperMedian(gains)};
  for (int round = 0; round < params.fit_rounds; ++round) {
    std::vector<double> residuals;
    residuals.reserve(fitted.size());
    for (const Patch& patch : fitted)
      residuals.push_back(std::abs(patch.view / patch.albedo - light.At(patch)));
    const double spread =
        std::max(kDeviationsPerMad * UpperMedian(residuals), params.min_gain_spread);
    light = Refit(fitted, light, params.outlier_deviations * spread);
  }
  return light;
}

/// How much brighter each patch's neighbourhood is than it should be, grey.
std::vector<double> ExcessOf(const BlockSums& albedo, const BlockSums& view,
                             const GlareParams& params) {
  const PatchGrid patches = PatchesOf(albedo, view, params.patch_blocks);
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
          sum += patch.view - light.At(patch) * patch.albedo;
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
void Mark(const std::vector<std::int32_t>& values, int columns, int rows, const GlareParams& params,
          Rows part, const Plane& out) {
  const int full = 2 * params.patch_blocks * kBlock;  // half pixels from patch to patch
  const auto value = [&](int x, int y) {
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(x)];
  };
  // Where a pixel lies between the middles of patches: the first of them and 1/32.
  const auto place = [full](int pixel, int count) {
    const int at = std::clamp(2 * pixel + 1 - full / 2, 0, full * (count - 1));
    return std::pair(std::min(at / full, std::max(count - 2, 0)), at);
  };
  const std::int32_t limit = static_cast<std::int32_t>(params.min_excess_grey * 16) * full * full;
  for (int y = part.begin; y < part.end; ++y) {
    auto* row = out.Row<std::uint8_t>(y);
    const auto [top, at_y] = place(y, rows);
    const int bottom = std::min(top + 1, rows - 1), fy = at_y - top * full;
    for (int x = 0; x < out.width(); ++x) {
      const auto [left, at_x] = place(x, columns);
      const int right = std::min(left + 1, columns - 1), fx = at_x - left * full;
      const std::int32_t above = value(left, top) * (full - fx) + value(right, top) * fx;
      const std::int32_t below = value(left, bottom) * (full - fx) + value(right, bottom) * fx;
      row[x] = above * (full - fy) + below * fy >= limit ? 255 : 0;
    }
  }
}

}  // namespace

Plane FindGlare(const BlockSums& albedo, std::span<const BlockSums> views, Size size,
                const GlareParams& params, ThreadPool& pool) {
  Plane glare = Plane::Host(size, PixelType::kU8);
  const int columns = albedo.columns / params.patch_blocks;
  const int rows = albedo.rows / params.patch_blocks;
  std::vector<std::vector<double>> excess(views.size());
  pool.ParallelFor(std::ssize(excess), [&](std::int64_t i) {
    const auto view = static_cast<std::size_t>(i);
    excess[view] = ExcessOf(albedo, views[view], params);
  });
  const bool any = columns > 0 && rows > 0 && !excess.empty();
  const std::vector<std::int32_t> second =
      any ? SecondLargest(excess) : std::vector<std::int32_t>();
  ForRows(pool, size.height, [&](Rows part) {
    for (int y = part.begin; y < part.end && !any; ++y) {
      std::fill_n(glare.Row<std::uint8_t>(y), size.width, std::uint8_t{0});
    }
    if (any) Mark(second, columns, rows, params, part, glare);
  });
  return glare;
}

}  // namespace glint::photometric
