// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/print_border.h"

#include <cstdint>
#include <cstdlib>
#include <opencv2/core.hpp>

#include "analyse/photometric/pixels/albedo_at.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// Whether one runs so many pixels to the side.
bool IsBorder(const StraightLine& line, int across, const Plane& albedo,
              const PrintBorderParams& params) {
  std::int64_t sum = 0;
  int brighter = 0, darker = 0;
  for (int t = line.begin; t <= line.end; ++t) {
    std::int64_t step = 0;
    for (int side = params.side_begin_px; side <= params.side_end_px; ++side) {
      step +=
          AlbedoAt(albedo, line.At(t, across + side)) - AlbedoAt(albedo, line.At(t, across - side));
    }
    sum += step;
    if (step > 0) ++brighter;
    if (step < 0) ++darker;
  }
  const int pixels = (params.side_end_px - params.side_begin_px + 1) * line.length();
  const double mean = static_cast<double>(std::abs(sum)) / (kGrey * pixels);
  return mean >= params.min_step_grey &&
         (sum > 0 ? brighter : darker) > params.max_one_sided_share * line.length();
}

}  // namespace

bool RunsAlongBorder(const StraightLine& line, const Plane& albedo,
                     const PrintBorderParams& params) {
  for (int away = 0; away <= params.near_px; away += params.step_px) {
    if (IsBorder(line, away, albedo, params) || IsBorder(line, -away, albedo, params)) return true;
  }
  return false;
}

}  // namespace glint::photometric
