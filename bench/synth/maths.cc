// SPDX-License-Identifier: Apache-2.0
#include "bench/synth/maths.h"

#include <algorithm>
#include <cmath>

#include "bench/synth/random.h"

namespace glint {
namespace {

std::int64_t Wrap(std::int64_t value, int period) {
  if (period == 0) return value;
  const std::int64_t rest = value % period;
  return rest < 0 ? rest + period : rest;
}

double Lattice(std::int64_t x, std::int64_t y, std::uint32_t seed) {
  const auto column = static_cast<std::uint32_t>(x) * 0x9e3779b1U;
  const auto row = static_cast<std::uint32_t>(y) * 0x85ebca77U;
  return Scramble(Scramble(column + seed) ^ row) * 0x1p-32;
}

}  // namespace

double Sine(double turns) {
  double t = turns - std::floor(turns + 0.5);  // -0.5 .. 0.5
  if (t > 0.25) t = 0.5 - t;
  if (t < -0.25) t = -0.5 - t;
  const double x = t * 6.283185307179586;
  const double s = x * x;
  return x *
         (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110 * (1 - s / 156))))));
}

double Bell(double x) {
  const double exponent = 0.5 * x * x;
  if (exponent > 12) return 0;
  double power = 1 - exponent / 1024;
  for (int i = 0; i < 10; ++i) power *= power;
  return power;
}

double SmoothStep(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

double ValueNoise(double x, double y, std::uint32_t seed, int period_x, int period_y) {
  const double left = std::floor(x);
  const double top = std::floor(y);
  const double u = SmoothStep(0, 1, x - left);
  const double v = SmoothStep(0, 1, y - top);
  const auto x0 = Wrap(static_cast<std::int64_t>(left), period_x);
  const auto x1 = Wrap(static_cast<std::int64_t>(left) + 1, period_x);
  const auto y0 = Wrap(static_cast<std::int64_t>(top), period_y);
  const auto y1 = Wrap(static_cast<std::int64_t>(top) + 1, period_y);
  const double upper = Lattice(x0, y0, seed) * (1 - u) + Lattice(x1, y0, seed) * u;
  const double lower = Lattice(x0, y1, seed) * (1 - u) + Lattice(x1, y1, seed) * u;
  return upper * (1 - v) + lower * v;
}

double FractalNoise(double x, double y, std::uint32_t seed, int octaves, int period_x,
                    int period_y) {
  double sum = 0;
  double weight = 1;
  double total = 0;
  for (int i = 0; i < octaves; ++i) {
    sum +=
        weight * ValueNoise(x, y, seed + static_cast<std::uint32_t>(i) * 101, period_x, period_y);
    total += weight;
    weight /= 2;
    x *= 2;
    y *= 2;
    period_x *= 2;
    period_y *= 2;
  }
  return sum / total;
}

}  // namespace glint
