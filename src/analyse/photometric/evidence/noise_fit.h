// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/params.h"
#include "glint/photometric_stages.h"

namespace glint::photometric {

/// What decides which pixels tell the noise.
struct NoiseParams {
  /// of a bin of gradient and curvature that is used: its medians hold
  GLINT_PARAM(int, min_bin_pixels, 1, 1000000) = 150;
  /// of gradient and of curvature, a third of an octave each
  GLINT_PARAM(int, bins, 1, 100) = 30;
  /// sensor noise and compression never vanish
  GLINT_PARAM(double, min_base_variance_grey2, 1e-6, 10000) = 1.0 / 16;
  /// of the fit's variance per squared gradient, at most
  GLINT_PARAM(double, max_gradient_variance, 0, 1e6) = 0.0025;
  /// of the fit's variance per squared curvature, at most
  GLINT_PARAM(double, max_curvature_variance, 0, 1e6) = 0;
};

/// What the pixels of like artwork have in common.
struct NoiseCell {
  double variance = 0;          ///< of the residual, grey^2
  double gradient_square = 0;   ///< (grey per pixel)^2
  double curvature_square = 0;  ///< grey^2
  std::int64_t pixels = 0;
};

/// Medians over the pixels of each cell of (gradient, curvature) that enough pixels fall into:
/// most of an object is undamaged, so they tell of noise, not of damage.
/// @param albedo    on the host
/// @param min_views  that a pixel needs (LineEvidenceParams)
/// @param magnitude  kS16 on the host: median over the views of |residual|, 1/64 grey
std::vector<NoiseCell> NoiseCells(const Albedo& albedo, const Plane& magnitude,
                                  const NoiseParams& params, int min_views);

/// The model that fits the cells best: least squares of the relative error, no term negative
/// (C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, 1974, ch. 23; with three terms all
/// sets of non-zero ones can be tried); `assumed` when there are no cells.
NoiseModel FitNoise(std::span<const NoiseCell> cells, const NoiseParams& params,
                    const NoiseModel& assumed);

}  // namespace glint::photometric
