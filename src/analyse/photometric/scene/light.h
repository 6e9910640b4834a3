// SPDX-License-Identifier: Apache-2.0
// What the views can tell at all: where the surface was seen, and how much the light changed.
#pragma once

#include <optional>
#include <span>

#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// What decides where the views can tell.
struct ExposureParams {
  /// of its shorter side: line filters alone reach over 20
  GLINT_PARAM(int, min_object_px, 16, 10000) = 64;
  /// that grey and darker is black
  GLINT_PARAM(int, black_grey, -1, 255) = 2;
  /// that grey and lighter is blown out
  GLINT_PARAM(int, white_grey, 0, 256) = 253;
  /// of the cells whose brightness over time says how much the light wandered
  GLINT_PARAM(int, light_cell_px, 4, 10000) = 32;
  /// of the views, that have to show all of such a cell
  GLINT_PARAM(double, min_light_views_share, 0, 1) = 0.5;
};

/// Where at least `min_views` views show the surface neither black nor blown out.
/// A smaller object than `min_object_px` tells nothing: nowhere.
/// @param greys,valid  as PhotometricViews, on the host
/// @return kU8, 0 and 255
Plane WellExposed(std::span<const Plane> greys, std::span<const Plane> valid,
                  const ExposureParams& params, int min_views, ThreadPool& pool);

/// How much the light wandered over the surface: in cells, the deviation over time of a cell's
/// brightness relative to what else its view shows, as a share of its mean; the median over the
/// cells that enough views show. Nothing when there are none, or fewer than two views.
/// @param greys,valid  as PhotometricViews, on the host
std::optional<double> LightChange(std::span<const Plane> greys, std::span<const Plane> valid,
                                  const ExposureParams& params, ThreadPool& pool);

}  // namespace glint::photometric
