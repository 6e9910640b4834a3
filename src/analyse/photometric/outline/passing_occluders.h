// SPDX-License-Identifier: Apache-2.0
// What lies over the object's rim in most views, but not in all: a hand that takes hold of it.
#pragma once

#include <span>

#include "analyse/photometric/outline/outline.h"
#include "analyse/photometric/outline/outline_params.h"
#include "glint/plane.h"

namespace glint::photometric {

/// Takes gaps for covered that some views show closed: these agree with each other, are unlike all
/// views' median, and the object goes on into the gap there without the edge that the median has. A
/// piece that is missing is missing in every view: the table may pass behind it, but the torn edge
/// stays.
/// @param greys,valid  kU8 on the host: the views
/// @param outline      loses those gaps; they become `covered`
void CoverClosedGaps(std::span<const Plane> greys, std::span<const Plane> valid,
                     const PassingOccluderParams& params, Outline& outline);

}  // namespace glint::photometric
