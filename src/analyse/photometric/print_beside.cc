// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/print_beside.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "base/median.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// The step of a line's parallel, grey; nothing where all of it lies outside.
std::optional<double> StepOf(const StraightLine& line, int across, const Plane& albedo,
                             int side_px) {
  const cv::Rect inside(0, 0, albedo.width(), albedo.height());
  std::int64_t sum = 0, count = 0;
  for (int t = line.begin; t <= line.end; ++t) {
    const cv::Point one = line.At(t, across - side_px), other = line.At(t, across + side_px);
    if (!inside.contains(one) || !inside.contains(other)) continue;
    sum += std::abs(albedo.Row<std::int16_t>(one.y)[one.x] -
                    albedo.Row<std::int16_t>(other.y)[other.x]);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return static_cast<double>(sum) / static_cast<double>(kGrey * count);
}

}  // namespace

bool RunsWithPrint(std::span<const double> steps, int at, const PrintBesideParams& params) {
  double own = 0;
  std::vector<double> beside;
  const int last = static_cast<int>(steps.size()) - 1;
  for (int i = std::max(at - params.beside_px, 0); i <= std::min(at + params.beside_px, last);
       ++i) {
    const double step = steps[static_cast<std::size_t>(i)];
    const int away = std::abs(i - at);
    if (away <= params.near_px) own = std::max(own, step);
    if (away >= params.beside_from_px) beside.push_back(step);
  }
  if (beside.empty()) return true;
  const double median = Median(beside) + params.noise_grey;
  const double straight = NthSmallest(
      beside,
      static_cast<std::size_t>(params.straight_quantile * static_cast<double>(beside.size() - 1)));
  return own > params.max_own_ratio * median || straight > params.max_straight_ratio * median;
}

bool RunsWithPrint(const StraightLine& line, const Plane& albedo, const PrintBesideParams& params) {
  std::vector<double> steps;
  steps.reserve(2 * static_cast<std::size_t>(params.beside_px) + 1);
  int own = 0;  // where the line is among them
  for (int across = -params.beside_px; across <= params.beside_px; ++across) {
    const auto step = StepOf(line, across, albedo, params.side_px);
    if (across == 0) own = static_cast<int>(steps.size());
    if (step) steps.push_back(*step);
  }
  return RunsWithPrint(steps, own, params);
}

}  // namespace glint::photometric
