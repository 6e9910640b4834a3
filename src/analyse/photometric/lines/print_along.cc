// SPDX-License-Identifier: Apache-2.0
#include "analyse/photometric/lines/print_along.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "analyse/photometric/pixels/albedo_at.h"
#include "stages/shared/photometric_arithmetic.h"

namespace glint::photometric {
namespace {

/// How much of a line the print explains, 0..1. @param contrast  grey, more than 0 where it may
double Doubt(const Evenness& print, double contrast, const PrintAlongParams& params) {
  const double even =
      (print.Ratio(params.noise_grey) - params.min_evenness) / params.evenness_range;
  return std::clamp(contrast / params.print_grey, 0.0, 1.0) * std::clamp(even, 0.0, 1.0);
}

}  // namespace

PrintAlong MeasurePrintAlong(const StraightLine& line, int begin, const Plane& albedo,
                             const PrintAlongParams& params) {
  std::int64_t on = 0, left = 0, right = 0;
  PrintAlong print;
  for (int t = begin; t <= line.end; ++t) {
    const std::int64_t here = AlbedoAt(albedo, line.At(t));
    const std::int64_t above = AlbedoAt(albedo, line.At(t, -params.strip_px));
    const std::int64_t below = AlbedoAt(albedo, line.At(t, params.strip_px));
    on += here;
    left += above;
    right += below;
    print.step.Add(below - above);
    print.stroke.Add((above + below) / 2 - here);
  }
  print.brighter = static_cast<double>(on - std::max(left, right)) /
                   (static_cast<double>(kGrey) * (line.end - begin + 1));
  return print;
}

double CostOf(const PrintAlong& print, const PrintAlongParams& params) {
  return 1 + params.print_cost * std::max(Doubt(print.step, std::abs(print.step.Mean()), params),
                                          Doubt(print.stroke, print.stroke.Mean(), params));
}

}  // namespace glint::photometric
