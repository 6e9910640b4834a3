// SPDX-License-Identifier: Apache-2.0
// Where a highlight passed over the object: what shone there is light, not damage.
#pragma once

#include <span>

#include "analyse/photometric/pixels/block_sums.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What decides where a highlight passed.
struct GlareParams {
  /// over the albedo under the view's light
  GLINT_PARAM(double, min_excess_grey, 0, 255) = 24;
  /// darker print says little about a gain
  GLINT_PARAM(double, min_albedo_grey, 1, 255) = 24;
  /// that the gain's own is taken for at least
  GLINT_PARAM(double, min_gain_spread, 1e-6, 10) = 0.02;
  /// side of a patch, in blocks of 4 px, whose gain is one number
  GLINT_PARAM(int, patch_blocks, 1, 16) = 4;
  /// of the gains' plane, with new weights each
  GLINT_PARAM(int, fit_rounds, 1, 100) = 5;
  /// from the plane, at which a patch has no weight (Tukey)
  GLINT_PARAM(double, outlier_deviations, 0.1, 1000) = 4.685;
};

/// Where the object shines in at least two views: brighter by so many grey values or more, on
/// average over 48x48 pixels, than the artwork under that view's light, which is a gain that varies
/// evenly over the object (a plane, fitted with Tukey's weights). Damage glints along narrow lines,
/// which do not lift the mean of so large a neighbourhood.
/// @param albedo  @param views  of one size
/// @param size     of the planes they were made of
/// @return kU8 on the host, 0 and 255
Plane FindGlare(const BlockSums& albedo, std::span<const BlockSums> views, Size size,
                const GlareParams& params, ThreadPool& pool);

}  // namespace glint::photometric
