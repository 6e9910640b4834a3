// SPDX-License-Identifier: Apache-2.0
// What the views can tell at all: where the surface was seen, and how much the light changed.
#pragma once

#include <span>

#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Where at least LineEvidenceParams::min_views views show the surface neither black nor blown out
/// (3..252). An object with a side under 64 px is too small to tell anything: nowhere.
/// @param greys,valid  as PhotometricViews, on the host
/// @return kU8, 0 and 255
Plane WellExposed(std::span<const Plane> greys, std::span<const Plane> valid, ThreadPool& pool);

/// How much the light wandered over the surface: in cells of 32x32 px, the deviation over time of a
/// cell's brightness relative to the whole view's, as a share of its mean; the median over the
/// cells that all views show. 0 when there are none, or fewer than two views.
/// @param greys,valid  as PhotometricViews, on the host
double LightChange(std::span<const Plane> greys, std::span<const Plane> valid, ThreadPool& pool);

}  // namespace glint::photometric
