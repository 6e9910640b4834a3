// SPDX-License-Identifier: Apache-2.0
// From a frame to the polynomials of its pyramid.
#if defined(GLINT_FARNEBACK_EXPAND_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GLINT_FARNEBACK_EXPAND_INL_H
#undef GLINT_FARNEBACK_EXPAND_INL_H
#else
#define GLINT_FARNEBACK_EXPAND_INL_H
#endif

#include <algorithm>
#include <array>

#include "stages/cpu/farneback/expansion.h"
#include "stages/cpu/farneback/vector-inl.h"
#include "stages/shared/farneback/parameters.h"

HWY_BEFORE_NAMESPACE();
namespace glint::farneback::HWY_NAMESPACE {

using Bytes = hn::Rebind<std::uint8_t, Floats>;

HWY_INLINE VI LoadBytes(const std::uint8_t* from) {
  return hn::PromoteTo(kInts, hn::LoadU(Bytes(), from));
}

/// Where the vector after the one at `x` starts in a row that may not be read past `width`: the
/// last one moves back over the one before it. @return width at the end
HWY_INLINE int NextInside(int x, int width) {
  return x + kLanes >= width ? width : std::min(x + kLanes, width - kLanes);
}

/// Columns of row `y` of the finest level: the frame under the kernel 1 2 1 / 2 4 2 / 1 2 1
/// (exact).
/// @param columns  at least a vector of them
inline void BlurRow(const Plane& luma, int y, Columns columns, float* column_sums, float* out) {
  const int width = luma.width();
  const auto [begin, end] = Widen(columns, 1, width);
  const auto* above = luma.Row<std::uint8_t>(Reflect(y - 1, luma.height()));
  const auto* here = luma.Row<std::uint8_t>(y);
  const auto* below = luma.Row<std::uint8_t>(Reflect(y + 1, luma.height()));
  for (int x = begin; x < end; x = NextInside(x, end)) {
    const VI centre = LoadBytes(here + x);
    const VI sum = (LoadBytes(above + x) + LoadBytes(below + x)) + (centre + centre);
    Store(hn::ConvertTo(kFloats, sum), column_sums + x);
  }
  column_sums[-1] = column_sums[1];
  column_sums[width] = column_sums[width - 2];
  const V scale = Set(1.0F / 16);
  for (int x = columns.begin; x < columns.end; x += kLanes) {
    const V centre = Load(column_sums + x);
    const V sides = Load(column_sums + x - 1) + Load(column_sums + x + 1);
    Store((sides + (centre + centre)) * scale, out + x);
  }
}

/// The vertical half of a reduction: row `y` of the level, still as wide as the frame.
inline void ReduceColumns(const Plane& luma, const Reduction& rows, int y, float* out) {
  constexpr int kMaxTaps = 20;
  std::array<const std::uint8_t*, kMaxTaps> inputs;
  HWY_ASSERT(rows.taps <= kMaxTaps);
  std::array<float, kMaxTaps> weights;
  for (int t = 0; t < rows.taps; ++t) {
    inputs[t] = luma.Row<std::uint8_t>(Reflect(rows.first[y] + t, luma.height()));
    weights[t] = rows.weight(t, y);
  }
  const int taps = rows.taps;
  const int width = luma.width();
  for (int x = 0; x < width; x = NextInside(x, width)) {
    V sum = Zero();
    for (int t = 0; t < taps; ++t)
      sum = sum + Set(weights[t]) * hn::ConvertTo(kFloats, LoadBytes(inputs[t] + x));
    Store(sum, out + x);
  }
}

/// The horizontal half of a reduction, for any geometry. @param row  with reflected ends
inline void ReduceRow(const Reduction& columns, const float* row, float* out) {
  const auto outputs = static_cast<int>(columns.first.size());
  for (int d = 0; d < outputs; ++d) {
    const float* inputs = row + columns.first[d];
    float sum = 0;
    for (int t = 0; t < columns.taps; ++t) sum += columns.weight(t, d) * inputs[t];
    out[d] = sum;
  }
}

/// The same for a reduction with a step, by vectors: values one step apart are brought together.
/// @param phases  room for the row and 16 floats per phase
inline void ReduceRowInSteps(const Reduction& columns, const float* row, int width, float* phases,
                             float* out) {
  constexpr int kMargin = 16;  // of reflected ends; a multiple of every step
  const int step = columns.step;
  const int length = (width + 2 * kMargin) / step;
  const int stride = length + 16;
  for (int phase = 0; phase < step; ++phase) {
    const float* from = row - kMargin + phase;
    float* to = phases + std::ptrdiff_t{stride} * phase;
    for (std::ptrdiff_t i = 0; i < length; ++i) to[i] = from[i * step];
  }
  const int outputs = width / step;
  for (int d = 0; d < outputs; d += kLanes) {
    V sum = Zero();
    for (int t = 0; t < columns.taps; ++t) {
      const int first = columns.first[0] + kMargin + t;
      const float* from = phases + std::ptrdiff_t{stride} * (first % step) + first / step;
      sum = sum + Set(columns.weight(t, 0)) * Load(from + d);
    }
    Store(sum, out + d);
  }
}

/// Row `y` of a level that is a reduction of the frame.
inline void ReduceToRow(const Plane& luma, const LevelGeometry& level, int y, RowBuffer& scratch,
                        float* out) {
  constexpr int kReach = 10;  // of the widest kernel
  const int width = luma.width();
  float* row = scratch.Row(0);
  ReduceColumns(luma, level.reduce[1], y, row);
  for (int i = 1; i <= kReach; ++i) {
    row[-i] = row[Reflect(-i, width)];
    row[width - 1 + i] = row[Reflect(width - 1 + i, width)];
  }
  if (level.reduce[0].step > 0) {
    ReduceRowInSteps(level.reduce[0], row, width, scratch.Row(1), out);
  } else {
    ReduceRow(level.reduce[0], row, out);
  }
}

/// The vertical kernels at one row. @param rows  kPolyRadius rows above it, itself, as many below
inline void FilterColumns(const std::array<const float*, 2 * kPolyRadius + 1>& rows,
                          Columns columns, float* HWY_RESTRICT smooth, float* HWY_RESTRICT slope,
                          float* HWY_RESTRICT curvature) {
  const PolynomialKernels kernels = Kernels();
  for (int x = columns.begin; x < columns.end; x += kLanes) {
    const V centre = Load(rows[kPolyRadius] + x);
    const V twice = centre + centre;
    V smoothed = Set(kernels.smooth[0]) * centre;
    V sloped = Zero();
    V curved = Zero();
    HWY_UNROLL(kPolyRadius)
    for (int k = 1; k <= kPolyRadius; ++k) {
      const V above = Load(rows[kPolyRadius - k] + x);
      const V below = Load(rows[kPolyRadius + k] + x);
      const V sum = below + above;
      smoothed = smoothed + Set(kernels.smooth[k]) * sum;
      sloped = sloped + Set(kernels.slope[k]) * (below - above);
      curved = curved + Set(kernels.curvature[k]) * (sum - twice);
    }
    Store(smoothed, smooth + x);
    Store(sloped, slope + x);
    Store(curved, curvature + x);
  }
}

/// The horizontal kernels over the results of the vertical ones, whose ends are replicated.
inline void FilterRow(const float* HWY_RESTRICT smooth, const float* HWY_RESTRICT slope,
                      const float* HWY_RESTRICT curvature, Columns columns, float* HWY_RESTRICT out,
                      std::ptrdiff_t plane_stride) {
  const PolynomialKernels kernels = Kernels();
  for (int x = columns.begin; x < columns.end; x += kLanes) {
    const V centre = Load(smooth + x);
    const V twice = centre + centre;
    V coefficient_y = Set(kernels.smooth[0]) * Load(slope + x);
    V coefficient_yy = Set(kernels.smooth[0]) * Load(curvature + x);
    V coefficient_x = Zero();
    V coefficient_xx = Zero();
    V coefficient_xy = Zero();
    HWY_UNROLL(kPolyRadius)
    for (int k = 1; k <= kPolyRadius; ++k) {
      const V weight = Set(kernels.smooth[k]);
      const V slope_weight = Set(kernels.slope[k]);
      const V left = Load(smooth + x - k);
      const V right = Load(smooth + x + k);
      const V sloped_left = Load(slope + x - k);
      const V sloped_right = Load(slope + x + k);
      coefficient_x = coefficient_x + slope_weight * (right - left);
      coefficient_xx = coefficient_xx + Set(kernels.curvature[k]) * ((right + left) - twice);
      coefficient_y = coefficient_y + weight * (sloped_right + sloped_left);
      coefficient_xy = coefficient_xy + slope_weight * (sloped_right - sloped_left);
      coefficient_yy =
          coefficient_yy + weight * (Load(curvature + x + k) + Load(curvature + x - k));
    }
    Store(coefficient_y, out + kY * plane_stride + x);
    Store(coefficient_x, out + kX * plane_stride + x);
    Store(coefficient_yy, out + kYY * plane_stride + x);
    Store(coefficient_xx, out + kXX * plane_stride + x);
    Store(coefficient_xy, out + kXY * plane_stride + x);
  }
}

/// The polynomials of a level, row after row. The level's image exists as a few rows at a time.
class RowExpander {
 public:
  /// @param k        the level
  /// @param columns  those that are needed, all of them at levels but the finest; others of a row
  ///                 may come out as anything
  /// @param first    the row that comes first
  RowExpander(const Plane& luma, const Geometry& geometry, std::size_t k, Columns columns,
              int first, Scratch& scratch)
      : luma_(luma),
        level_(geometry.levels[k]),
        finest_(k == 0),
        columns_(columns),
        image_columns_(Widen(columns, kPolyRadius, level_.size.width)),
        scratch_(scratch),
        next_(first),
        next_image_row_(std::max(0, first - kPolyRadius)) {}

  /// The next row. @param out  its first plane
  void Next(float* out, std::ptrdiff_t plane_stride) {
    const auto [width, height] = level_.size;
    const int y = next_++;
    while (next_image_row_ <= std::min(y + kPolyRadius, height - 1)) MakeImageRow();
    std::array<const float*, 2 * kPolyRadius + 1> rows;
    for (int k = -kPolyRadius; k <= kPolyRadius; ++k)
      rows[kPolyRadius + k] = scratch_.image.Row(std::clamp(y + k, 0, height - 1) % kImageRows);
    float* smooth = scratch_.vertical.Row(0, 0);
    float* slope = scratch_.vertical.Row(0, 1);
    float* curvature = scratch_.vertical.Row(0, 2);
    FilterColumns(rows, image_columns_, smooth, slope, curvature);
    for (float* row : {smooth, slope, curvature}) ReplicateEnds(row, width, kPolyRadius);
    FilterRow(smooth, slope, curvature, columns_, out, plane_stride);
  }

 private:
  void MakeImageRow() {
    const int y = next_image_row_++;
    float* row = scratch_.image.Row(y % kImageRows);
    if (finest_) {
      BlurRow(luma_, y, image_columns_, scratch_.reduction.Row(0), row);
    } else {
      ReduceToRow(luma_, level_, y, scratch_.reduction, row);
    }
  }

  const Plane& luma_;
  const LevelGeometry& level_;
  const bool finest_;
  const Columns columns_;
  const Columns image_columns_;
  Scratch& scratch_;
  int next_;
  int next_image_row_;
};

/// Fills in the levels that `out` keeps.
inline void ExpandBand(const Geometry& geometry, const Plane& luma, Part band, Scratch& scratch,
                       Expansion& out) {
  for (std::size_t k = 0; k < geometry.levels.size(); ++k) {
    RowBuffer& rows = out.levels[k];
    if (rows.empty()) continue;
    const auto [width, height] = geometry.levels[k].size;
    const int begin = band.Begin(height);
    RowExpander expander(luma, geometry, k, {0, width}, begin, scratch);
    for (int y = begin; y < band.End(height); ++y) expander.Next(rows.Row(y), rows.plane_stride());
  }
}

}  // namespace glint::farneback::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
