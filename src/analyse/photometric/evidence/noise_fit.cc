// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/evidence/noise_fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/median.h"
#include "base/normal_equations.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// First values of the bins 1 .. bins - 1, for values in units of 1/unit (or their squares).
std::vector<std::int32_t> BinStarts(int bins, double unit, bool squared) {
  std::vector<std::int32_t> starts;
  for (int step = 1; step < bins; ++step) {
    const double value = std::max((std::exp2((step - 6) / 3.0) - 0.25) * unit, 0.0);
    starts.push_back(static_cast<std::int32_t>(
        std::min(std::ceil(squared ? value * value : value), 2147483647.0)));
  }
  return starts;
}

std::size_t BinOf(std::int32_t value, const std::vector<std::int32_t>& starts) {
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), value) -
                                  starts.begin());
}

struct Sample {
  std::int16_t magnitude;
  std::int32_t gradient;
  std::int32_t curvature;
};

NoiseCell Summarise(std::vector<Sample>& samples) {
  const double magnitude = UpperMedian(samples, &Sample::magnitude);
  const double gradient = UpperMedian(samples, &Sample::gradient);
  const double curvature = UpperMedian(samples, &Sample::curvature) / double{kGrey};
  const double spread = magnitude / kGrey / kMadOfNormal;
  return {.variance = spread * spread,
          .gradient_square = gradient / kGradientUnit,
          .curvature_square = curvature * curvature,
          .pixels = static_cast<std::int64_t>(samples.size())};
}

using Vector3 = std::array<double, 3>;

NormalEquations EquationsOf(std::span<const NoiseCell> cells) {
  NormalEquations equations(3);
  for (const NoiseCell& cell : cells) {
    const double weight = static_cast<double>(cell.pixels) / (cell.variance * cell.variance);
    equations.Add({1, cell.gradient_square, cell.curvature_square}, cell.variance, weight);
  }
  return equations;
}

double Determinant(const std::array<Vector3, 3>& m) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/// Least squares with only the terms of `used` (bit i: term i) not 0, by Cramer's rule; nothing
/// when singular.
std::optional<Vector3> SolveFor(unsigned used, const NormalEquations& equations) {
  std::array<Vector3, 3> a{};
  Vector3 b{};
  for (std::size_t i = 0; i < 3; ++i) {
    const bool row = ((used >> i) & 1U) != 0;
    for (std::size_t j = 0; j < 3; ++j) {
      const bool column = ((used >> j) & 1U) != 0;
      a[i][j] = row && column ? equations.matrix()[i][j] : (i == j ? 1.0 : 0.0);
    }
    b[i] = row ? equations.right()[i] : 0;
  }
  const double determinant = Determinant(a);
  if (!(determinant > 0)) return std::nullopt;
  Vector3 x{};
  for (std::size_t column = 0; column < 3; ++column) {
    std::array<Vector3, 3> replaced = a;
    for (std::size_t row = 0; row < 3; ++row) replaced[row][column] = b[row];
    x[column] = Determinant(replaced) / determinant;
  }
  return x;
}

/// The squared error of a solution, up to a constant.
double ErrorOf(const Vector3& x, const NormalEquations& equations) {
  double error = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) error += x[i] * equations.matrix()[i][j] * x[j];
    error -= 2 * equations.right()[i] * x[i];
  }
  return error;
}

}  // namespace

std::vector<NoiseCell> NoiseCells(const Albedo& albedo, const Plane& magnitude,
                                  const NoiseParams& params, int min_views) {
  const auto bins = static_cast<std::size_t>(params.bins);
  const auto gradients = BinStarts(params.bins, 128, true);
  const auto curvatures = BinStarts(params.bins, kGrey, false);
  std::vector<std::vector<Sample>> samples(bins * bins);
  for (int y = 0; y < magnitude.height(); ++y) {
    const auto* count = albedo.count.Row<std::uint8_t>(y);
    const auto* gradient = albedo.gradient.Row<std::int32_t>(y);
    const auto* curvature = albedo.curvature.Row<std::int32_t>(y);
    const auto* residual = magnitude.Row<std::int16_t>(y);
    for (int x = 0; x < magnitude.width(); ++x) {
      if (count[x] < min_views) continue;
      const std::size_t cell =
          BinOf(gradient[x], gradients) * bins + BinOf(curvature[x], curvatures);
      samples[cell].push_back({residual[x], gradient[x], curvature[x]});
    }
  }
  std::vector<NoiseCell> cells;
  for (std::vector<Sample>& cell : samples) {
    if (cell.size() < static_cast<std::size_t>(params.min_bin_pixels)) continue;
    const NoiseCell summary = Summarise(cell);
    if (summary.variance > 0) cells.push_back(summary);
  }
  return cells;
}

NoiseModel FitNoise(std::span<const NoiseCell> cells, const NoiseParams& params,
                    const NoiseModel& assumed) {
  if (cells.empty()) return assumed;
  const NormalEquations equations = EquationsOf(cells);
  Vector3 best{};
  double min_error = 0;  // of all terms 0
  for (unsigned used = 1; used < 8; ++used) {
    const auto x = SolveFor(used, equations);
    if (!x || std::any_of(x->begin(), x->end(), [](double term) { return term < 0; })) continue;
    const double error = ErrorOf(*x, equations);
    if (error >= min_error) continue;
    min_error = error;
    best = *x;
  }
  return {.base = static_cast<float>(std::max(best[0], params.min_base_variance_grey2)),
          .gradient = static_cast<float>(std::min(best[1], params.max_gradient_variance)),
          .curvature = static_cast<float>(std::min(best[2], params.max_curvature_variance))};
}

}  // namespace glint::photometric
