// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What decides how evidence is compared with what lies around it.
struct SurroundParams {
  /// of the square that a pixel is compared with
  GLINT_PARAM(int, radius_px, 1, 500) = 28;
  /// evidence counts for its surroundings up to so many times them
  GLINT_PARAM(double, max_surround, 1, 100) = 1.8;
  /// times that surroundings are compared with what the time before found
  GLINT_PARAM(int, rounds, 1, 20) = 3;
  /// what stands for the surroundings the first time, in medians of the evidence
  GLINT_PARAM(double, first_surround_medians, 0, 100) = 1.1;
  /// surroundings are never less than that share of the median
  GLINT_PARAM(double, min_median_share, 0, 10) = 0.7;
};

/// Evidence over the mean of what lies around it, where what stands out counts little: the gloss of
/// a coat is mottled, in places more than a line is strong, and a line is what stands out of it. In
/// these units the evidence of undamaged surfaces is nearly the same in every scan. Exact.
/// @param evidence  kS32 on the host, 0..2^23; 0 where nothing is known
/// @return kS32, 1/kEnergyUnit; 0 where the evidence is
Plane NormaliseBySurroundings(const Plane& evidence, const SurroundParams& params,
                              ThreadPool& pool);

}  // namespace glint::photometric
