// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>

#include "analyse/reference/params.h"
#include "analyse/stage_set.h"
#include "base/thread_pool.h"
#include "glint/plane.h"
#include "glint/stages.h"

namespace glint::reference {

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
