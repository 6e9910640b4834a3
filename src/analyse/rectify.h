// SPDX-License-Identifier: Apache-2.0
// Frames seen in the object's own coordinates.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "analyse/stage_set.h"
#include "base/params.h"
#include "glint/plane.h"
#include "glint/stages.h"

namespace glint {

/// What of a frame counts as seen.
struct RectificationParams {
  /// object pixels along the border of a frame that do not count: their neighbours are not in it
  GLINT_PARAM(int, border_margin_px, 0, 100) = 4;
};

/// A frame resampled to object coordinates, linearly; what lies outside the frame repeats its edge.
/// @param frame  kU8 or kU8x3, on the host or on the backend's device
/// @param frame_from_object  see FrameFromObject in analyse/quadrilateral.h
/// @return the frame's type, `size` large, on the backend's device
/// Errors: those of Backend::Upload and WarpStage::Run
absl::StatusOr<Plane> Rectify(const Plane& frame, const Homography& frame_from_object, Size size,
                              StageSet& stages);

/// Which object pixels the frame really shows: those inside it, less a margin along its border.
/// @param frame  the frame's size
/// @return kU8 of 0 and 255, `size` large, on the backend's device
/// Errors: those of Backend::Upload, WarpStage::Run and MorphologyStage::Run
absl::StatusOr<Plane> Validity(Size frame, const Homography& frame_from_object, Size size,
                               StageSet& stages, const RectificationParams& params = {});

/// Share of the object that lies inside the frame, 0..1.
double Coverage(Size frame, const Homography& frame_from_object, Size size);

}  // namespace glint
