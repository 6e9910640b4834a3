// SPDX-License-Identifier: Apache-2.0
// The hot loops of LineResponse, for every instruction set; each gives the same floats on all.
#pragma once

#include <cstdint>
#include <span>

namespace glint::photometric {

/// Some pixels of a row of a view and of the object. One size each.
struct ResidualRow {
  std::span<const std::int16_t> residuals;  ///< 1/64 grey
  const std::uint8_t* valid;                ///< not 0 where the view shows the object
  const std::uint8_t* surface;              ///< not 0 where the object is looked at
  const std::int32_t* gradients;            ///< of the albedo, squared, 1/kGradientUnit
};

/// What a residual is expected to be.
struct ResidualSpread {
  float deviation;         ///< of the view, grey; more than 0
  float contour_variance;  ///< LineResponseParams
  float max_sigmas;        ///< no residual counts for more
};

/// Adds the residuals of a row in deviations, and 1 to the count, of each pixel that is seen.
void AddInDeviations(const ResidualRow& row, const ResidualSpread& spread, float* sums,
                     float* counts);

/// Divides sums by the roots of how many were added; NaN where none was.
void DivideByRoots(std::span<float> sums, const float* counts);

/// Of Whiten, all as in LineResponseParams.
struct Whitening {
  int beside = 0;  ///< lines to either side
  int rounds = 1;
  float first_medians = 1, max_beside_ratio = 1, beside_gain = 1, min_beside_share = 0,
        max_ratio = 1;
};

/// Squared responses of lines that lie side by side.
struct SquaredResponses {
  std::span<float> squares;  ///< 0 or more; NaN where a line is not seen
  float noise;               ///< what lies beside is never less
};

/// Divides squared responses by what lies beside them; 0 where a line is not seen.
/// @param all  of the same lines: each by itself, but the processor adds up several at a time
void Whiten(std::span<const SquaredResponses> all, const Whitening& how);

}  // namespace glint::photometric
