// SPDX-License-Identifier: Apache-2.0
// The object as the part of the picture that moves unlike the rest.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>

#include "analyse/stage_set.h"
#include "base/params.h"
#include "glint/report.h"

namespace glint {

/// When a part of the frame is taken for the object because it moves unlike the rest.
struct MovingRegionParams {
  /// frame pixels of flow against the median
  GLINT_PARAM(double, min_motion_px, 0, 1000) = 1.5;
  /// diameter of the disc that specks are opened away and gaps closed with
  GLINT_PARAM(int, opening_px, 1, 1000) = 15;
  /// of the frame
  GLINT_PARAM(double, min_area_share, 0, 1) = 0.1;
  /// of the frame: more is the camera's own motion
  GLINT_PARAM(double, max_area_share, 0, 1) = 0.8;
};

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
