// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "glint/photometric_stages.h"

namespace glint::photometric {

/// What the pixels of like artwork have in common.
struct NoiseCell {
  double variance = 0;          ///< of the residual, grey^2
  double gradient_square = 0;   ///< (grey per pixel)^2
  double curvature_square = 0;  ///< grey^2
  std::int64_t pixels = 0;
};

/// Medians over the pixels of each cell of (gradient, curvature) that enough pixels fall into:
/// most of an object is undamaged, so they tell of noise, not of damage.
/// @param artwork    on the host
/// @param magnitude  kS16 on the host: median over the views of |residual|, 1/64 grey
std::vector<NoiseCell> NoiseCells(const Albedo& artwork, const Plane& magnitude);

/// The model that fits the cells best: least squares of the relative error, no term negative
/// (C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, 1974, ch. 23; with three terms all
/// sets of non-zero ones can be tried). The base is at least 1/16 grey^2, since sensor noise and
/// compression never vanish; ResidualParams::assumed_noise when there are no cells.
NoiseModel FitNoise(std::span<const NoiseCell> cells);

}  // namespace glint::photometric
