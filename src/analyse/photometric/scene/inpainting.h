// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyse/photometric/scene/occluders.h"
#include "base/thread_pool.h"
#include "glint/plane.h"

namespace glint::photometric {

/// The views with the print where something hides it, as each view's light would show it. For the
/// artwork only: the median of the other views alone would be that of another light, and end in a
/// step where all views count again, which looks like a crease that every view shows.
///
/// Light: a view's brightness relative to the median of all views. Where anything is occluded in
/// any view it is what the surroundings say, carried inwards like a stretched skin (Laplace's
/// equation). The print: the median over the views that show it, each divided by its light.
/// @param greys,valid  as PhotometricViews, on the host
/// @return greys; those of views without anything occluded are shared
std::vector<Plane> InpaintOccluded(std::span<const Plane> greys, std::span<const Plane> valid,
                                   const OcclusionMasks& occluded, const InpaintingParams& params,
                                   ThreadPool& pool);

}  // namespace glint::photometric
