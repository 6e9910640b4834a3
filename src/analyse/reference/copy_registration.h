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
  CoarseToFineParams fit = {.min_recognised = 0.15};
  /// the copy's pixels per pixel of the object, over which it is halved
  double halving_scale = 2.2;
  /// over which it is blurred, so that no detail is left out by chance
  double blurring_scale = 1.1;
  /// of a side: smaller ones show no object
  int min_picture_px = 32;
  /// below that it shows too little to compare
  double min_scale = 0.15;
  /// on each level
  int max_steps = 5;
  /// limit of the equalisation that a second try is made with
  double clahe_contrast = 3;

  GLINT_PARAMS(self, visit) {
    visit("fit", self.fit);
    visit("halving_scale", self.halving_scale, 1, 100);
    visit("blurring_scale", self.blurring_scale, 1, 100);
    visit("min_picture_px", self.min_picture_px, 1, 10000);
    visit("min_scale", self.min_scale, 0, 1);
    visit("max_steps", self.max_steps, 1, 100);
    visit("clahe_contrast", self.clahe_contrast, 0.1, 100);
  }
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
