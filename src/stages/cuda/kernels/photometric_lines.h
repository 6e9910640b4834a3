// SPDX-License-Identifier: Apache-2.0
// The evidence of lines of `photometric`: residuals in units of their noise, averaged over groups
// of views, under line filters.
#pragma once

#include "stages/cuda/kernel.h"
#include "stages/cuda/kernels/photometric_view.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::cuda {

/// 1/32 sigma per 1/64 grey at every pixel.
struct NoiseScaleKernel {
  static constexpr KernelId kId = KernelId::kNoiseScale;
  using Shape = PixelShape;

  Image<const std::int32_t> gradient;
  Image<const std::int32_t> curvature;
  NoiseModel noise;
  float* scale = nullptr;  ///< densely packed

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, gradient.width);
    if (x >= gradient.width || y >= gradient.height) return;
    constexpr float kUnits = static_cast<float>(photometric::kSigma) / photometric::kGrey;
    scale[std::int64_t{y} * gradient.width + x] =
        photometric::InverseNoise(noise, gradient.At(x, y), curvature.At(x, y)) * kUnits;
  }
};

/// The residuals in units of their noise; layer i view i.
struct NormaliseResidualsKernel {
  static constexpr KernelId kId = KernelId::kNormaliseResiduals;
  using Shape = PixelShape;

  const View* views = nullptr;
  Image<const std::uint8_t> surface;
  const Image<const std::int16_t>* residuals = nullptr;
  const float* scale = nullptr;
  float max_residual_sigmas = 0;  ///< LineEvidenceParams
  std::int16_t* rest = nullptr;   ///< per view, densely packed
  std::uint8_t* seen = nullptr;   ///< per view: 1 where valid

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, surface.width);
    if (x >= surface.width || y >= surface.height) return;
    const std::int64_t pixel = std::int64_t{y} * surface.width + x;
    const std::int64_t in_view =
        std::int64_t{thread.block_y} * surface.width * surface.height + pixel;
    rest[in_view] = photometric::Normalise(residuals[thread.block_y].At(x, y), scale[pixel],
                                           max_residual_sigmas);
    seen[in_view] = views[thread.block_y].valid.At(x, y) != 0 && surface.At(x, y) != 0 ? 1 : 0;
  }
};

/// How views are divided into groups of neighbours.
struct Grouping {
  int views = 0;
  int groups = 0;

  GLINT_HOST_DEVICE int Begin(int group) const {
    return photometric::GroupBegin(group, groups, views);
  }
};

/// Adds one view to each group, attenuated where the noise within 25x25 is high: the view `index`
/// of its group, if there is one. Layer i for group i.
struct AccumulateGroupsKernel {
  static constexpr KernelId kId = KernelId::kAccumulateGroups;
  static constexpr int kRadius = photometric::kNoiseRadius;
  static constexpr int kSpan = kTileWidth + 2 * kRadius;
  struct Memory {
    std::uint16_t noise[kTileHeight][kSpan];  // sums of 25 rows
    std::uint16_t count[kTileHeight][kSpan];
  };
  using Shape = BlockShape<2, Memory>;

  int width = 0;
  int height = 0;
  Grouping grouping;
  LineEvidenceParams params;
  int index = 0;
  const std::int16_t* rest = nullptr;  ///< NormaliseResidualsKernel
  const std::uint8_t* seen = nullptr;
  std::int16_t* sums = nullptr;    ///< per group, densely packed; cleared before the first
  std::uint8_t* counts = nullptr;  ///< the same

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared& shared, Shape::Locals&) const {
    const int view = grouping.Begin(thread.block_y) + index;
    if (view >= grouping.Begin(thread.block_y + 1)) return;
    const std::int64_t first = std::int64_t{view} * width * height;
    if constexpr (phase == 0) SumColumns(thread, rest + first, seen + first, shared);
    if constexpr (phase == 1) Add(thread, rest + first, seen + first, shared);
  }

 private:
  GLINT_HOST_DEVICE void SumColumns(const Thread& thread, const std::int16_t* rests,
                                    const std::uint8_t* seens, Shape::Shared& shared) const {
    const Pixel corner =
        TileCorner(thread.block_x, CeilDiv(width, kTileWidth), kTileWidth, kTileHeight);
    for (int i = thread.index; i < kTileHeight * kSpan; i += Shape::kThreads) {
      const int row = i / kSpan, column = i % kSpan;
      const int x = corner.x + column - kRadius, y = corner.y + row;
      int noise = 0, count = 0;
      const int end = Min(y + kRadius, height - 1);
      for (int v = Max(y - kRadius, 0); x >= 0 && x < width && v <= end; ++v) {
        const std::int64_t pixel = std::int64_t{v} * width + x;
        noise += photometric::Magnitude(rests[pixel], params.max_noise_sigmas);
        count += seens[pixel];
      }
      shared.noise[row][column] = static_cast<std::uint16_t>(noise);
      shared.count[row][column] = static_cast<std::uint16_t>(count);
    }
  }

  GLINT_HOST_DEVICE void Add(const Thread& thread, const std::int16_t* rests,
                             const std::uint8_t* seens, const Shape::Shared& shared) const {
    const auto [x, y] = PixelOf(thread, width);
    if (x >= width || y >= height) return;
    const std::int64_t pixel = std::int64_t{y} * width + x;
    if (seens[pixel] == 0) return;
    const int row = thread.index / kTileWidth, column = thread.index % kTileWidth;
    int noise = 0, count = 0;
    for (int i = 0; i <= 2 * kRadius; ++i) {
      noise += shared.noise[row][column + i];
      count += shared.count[row][column + i];
    }
    const std::int16_t value =
        photometric::Attenuate(rests[pixel], static_cast<std::uint16_t>(noise),
                               static_cast<std::uint16_t>(count), params.usual_noise_sigmas);
    const std::int64_t in_group = std::int64_t{thread.block_y} * width * height + pixel;
    sums[in_group] = static_cast<std::int16_t>(sums[in_group] + value);
    counts[in_group] = static_cast<std::uint8_t>(counts[in_group] + 1);
  }
};

/// Divides each group's sum by the root of the number of views; layer i group i.
struct ScaleGroupSumsKernel {
  static constexpr KernelId kId = KernelId::kScaleGroupSums;
  using Shape = PixelShape;

  int width = 0;
  int height = 0;
  std::int16_t* sums = nullptr;
  const std::uint8_t* counts = nullptr;
  const std::int32_t* root_weights = nullptr;  ///< photometric::RootWeight of 0 .. 255

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, width);
    if (x >= width || y >= height) return;
    const std::int64_t in_group = (std::int64_t{thread.block_y} * height + y) * width + x;
    sums[in_group] = photometric::RootMean(sums[in_group], root_weights[counts[in_group]]);
  }
};

/// Smooths each group; layer i group i.
struct SmoothGroupsKernel {
  static constexpr KernelId kId = KernelId::kSmoothGroups;
  using Shape = PixelShape;

  int width = 0;
  int height = 0;
  const std::int16_t* means = nullptr;
  std::int16_t* out = nullptr;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, width);
    if (x >= width || y >= height) return;
    constexpr int kReach = photometric::kGroupReach;
    const std::int64_t group = std::int64_t{thread.block_y} * width * height;
    const std::int16_t* rows[2 * kReach + 1];
    for (int j = -kReach; j <= kReach; ++j) {
      const int row = photometric::Reflect101(y + j, height);
      rows[j + kReach] = means + group + std::int64_t{row} * width;
    }
    std::int32_t columns[2 * kReach + 1];
    for (int i = -kReach; i <= kReach; ++i) {
      const int u = photometric::Reflect101(x + i, width);
      columns[i + kReach] = photometric::GroupColumn(rows[0][u], rows[1][u], rows[2][u], rows[3][u],
                                                     rows[4][u], rows[5][u], rows[6][u]);
    }
    out[group + std::int64_t{y} * width + x] = photometric::GroupRow(columns + kReach);
  }
};

/// Where the taps of the line filters lie.
struct LineTapTable {
  std::int8_t x[photometric::kDirections][photometric::kLineTaps];
  std::int8_t y[photometric::kDirections][photometric::kLineTaps];
};

/// The best line through every pixel.
struct LineFilterKernel {
  static constexpr KernelId kId = KernelId::kLineFilter;
  /// With 80 registers instead of 84 to 91, three blocks fit where two did; nothing is spilled.
  struct Shape : PixelShape {
    static constexpr int kBlocksAtOnce = 3;
  };

  const View* views = nullptr;
  Grouping grouping;
  int min_views = 0;                     ///< LineEvidenceParams
  const std::int16_t* groups = nullptr;  ///< SmoothGroupsKernel; 0 lies outside
  LineTapTable taps;
  Image<const std::uint8_t> counts;  ///< valid views
  Image<std::int32_t> energy;
  Image<std::int32_t> point;
  Image<std::uint8_t> direction;

  template <int phase>
  GLINT_HOST_DEVICE void Run(const Thread& thread, Shape::Shared&, Shape::Locals&) const {
    const auto [x, y] = PixelOf(thread, energy.width);
    if (x >= energy.width || y >= energy.height) return;
    std::int32_t best_long = -1, best_short = 0;
    int best = 0;
    for (int d = 0; d < photometric::kDirections; ++d) {
      std::int32_t long_sum = 0, short_sum = 0;
      for (int group = 0; group < grouping.groups; ++group) {
        AddResponses(group, d, x, y, long_sum, short_sum);
      }
      if (long_sum > best_long) {  // ties to the lower direction
        best_long = long_sum;
        best_short = short_sum;
        best = d;
      }
    }
    const bool enough = counts.At(x, y) >= min_views;
    const int seen = Max(GroupsThatSee(x, y), 1);
    energy.At(x, y) = enough ? photometric::RootMeanSquare(best_long, seen) : 0;
    point.At(x, y) = enough ? photometric::RootMeanSquare(best_short, seen) : 0;
    direction.At(x, y) = static_cast<std::uint8_t>(best);
  }

 private:
  GLINT_HOST_DEVICE int Value(const std::int16_t* group, int x, int y) const {
    if (x < 0 || y < 0 || x >= energy.width || y >= energy.height) return 0;
    return group[std::int64_t{y} * energy.width + x];
  }

  GLINT_HOST_DEVICE void AddResponses(int group, int d, int x, int y, std::int32_t& long_sum,
                                      std::int32_t& short_sum) const {
    const std::int16_t* values = groups + std::int64_t{group} * energy.width * energy.height;
    std::int16_t pairs[photometric::kLineTaps];
    for (int t = 0; t < photometric::kLineTaps; ++t) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): they are numbers
      const int dx = taps.x[d][t], dy = taps.y[d][t];
      pairs[t] =
          static_cast<std::int16_t>(Value(values, x + dx, y + dy) + Value(values, x - dx, y - dy));
    }
    const auto middle = static_cast<std::int16_t>(Value(values, x, y));
    const std::int32_t l =
        photometric::LongResponse(middle, pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]);
    const std::int32_t s = photometric::ShortResponse(middle, pairs[0], pairs[1]);
    long_sum += l * l;
    short_sum += s * s;
  }

  GLINT_HOST_DEVICE int GroupsThatSee(int x, int y) const {
    int seen = 0;
    for (int group = 0; group < grouping.groups; ++group) {
      int any = 0;
      for (int i = grouping.Begin(group); i < grouping.Begin(group + 1); ++i) {
        any |= views[i].valid.At(x, y);
      }
      seen += any != 0 ? 1 : 0;
    }
    return seen;
  }
};

}  // namespace glint::cuda
