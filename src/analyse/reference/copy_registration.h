// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>

#include "analyse/coarse_to_fine.h"
#include "analyse/stage_set.h"
#include "base/params.h"
#include "base/thread_pool.h"
#include "glint/plane.h"
#include "glint/stages.h"

namespace glint::reference {

/// How the object is found in the picture of a good copy, and when it is believed.
struct CopyRegistrationParams {
  /// of the copy with the object, of whose print it may show a part only
  GLINT_PARAM(CoarseToFineParams, fit) = {.min_recognised = 0.15};
  /// the copy's pixels per pixel of the object, over which it is halved
  GLINT_PARAM(double, halving_scale, 1, 100) = 2.2;
  /// over which it is blurred, so that no detail is left out by chance
  GLINT_PARAM(double, blurring_scale, 1, 100) = 1.1;
  /// of a side: smaller ones show no object
  GLINT_PARAM(int, min_picture_px, 1, 10000) = 32;
  /// below that it shows too little to compare
  GLINT_PARAM(double, min_scale, 0, 1) = 0.15;
  /// on each level
  GLINT_PARAM(int, max_steps, 1, 100) = 5;
  /// limit of the equalisation that a second try is made with
  GLINT_PARAM(double, clahe_contrast, 0.1, 100) = 3;
  /// of that equalisation, along each side of the picture
  GLINT_PARAM(int, clahe_tiles, 1, 100) = 8;
};

/// Luma of an RGB picture, full range. @param picture  kU8x3 on the host. @return kU8
Plane LumaOf(const Plane& picture, ThreadPool& pool);

/// A good copy laid onto the object.
struct RegisteredCopy {
  Plane picture;  ///< kU8x3 on the host: the copy, made smaller where it is much larger
  Homography picture_from_object{};
};

/// Finds the object in a picture of a good copy, which may be turned, be larger or smaller, or show
/// more or less than the object: by features, then to a fraction of a pixel by patches (see
/// AlignmentTarget). Nothing when the picture does not show it.
/// @param object   kU8x3 on the host: the object in its own coordinates
/// @param picture  kU8x3 on the host
/// Errors: those of the stages; INTERNAL
absl::StatusOr<std::optional<RegisteredCopy>> RegisterCopy(
    const Plane& object, const Plane& picture, StageSet& stages, ThreadPool& pool,
    const CopyRegistrationParams& params = {});

}  // namespace glint::reference
