// SPDX-License-Identifier: Apache-2.0
// The object as the part of the picture that moves unlike the rest.
#pragma once

#include <absl/status/statusor.h>

#include <optional>

#include "analyse/outline_params.h"
#include "analyse/stage_set.h"
#include "glint/report.h"

namespace glint {

/// The smallest rectangle, turned as need be, around the largest region of `frame` whose flow to
/// `other` differs from the frame's median flow; nothing when that region is too small
/// or too large.
/// @param frame,other  kU8, same size
/// @return the rectangle's edges in pixels of `frame`, clockwise
/// Errors: those of Backend::Upload, Backend::Download and FlowStage::Field
absl::StatusOr<std::optional<Quadrilateral>> FindMovingRegion(
    const Plane& frame, const Plane& other, StageSet& stages,
    const MovingRegionParams& params = {});

}  // namespace glint
