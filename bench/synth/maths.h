// SPDX-License-Identifier: Apache-2.0
// Functions whose last bit does not depend on the C library: only + - * / and sqrt, which IEEE 754
// rounds the same way everywhere.
#pragma once

#include <cstdint>

namespace glint {

/// sin(2 pi turns), error < 1e-8.
double Sine(double turns);
/// cos(2 pi turns).
inline double Cosine(double turns) { return Sine(turns + 0.25); }

/// exp(-x^2 / 2) within 4 % where it exceeds 0.0003, 0 far out: the profile of a soft line.
double Bell(double x);

/// 0 below `low`, 1 above `high`, smooth between (3 t^2 - 2 t^3).
double SmoothStep(double low, double high, double x);

/// Smooth noise with one random value per unit square, 0..1.
/// @param period_x,period_y  repeats after so many units; 0 never
double ValueNoise(double x, double y, std::uint32_t seed, int period_x = 0, int period_y = 0);

/// Octaves of ValueNoise, each twice as fine and half as strong, 0..1.
double FractalNoise(double x, double y, std::uint32_t seed, int octaves, int period_x = 0,
                    int period_y = 0);

}  // namespace glint
