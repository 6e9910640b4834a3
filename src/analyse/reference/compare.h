// SPDX-License-Identifier: Apache-2.0
// A scan against a good copy: what changed its colour, and what an earlier scan had not marked.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "analyse/reference/params.h"
#include "analyse/stage_set.h"
#include "base/thread_pool.h"
#include "glint/cancel.h"
#include "glint/plane.h"

namespace glint {

/// A good copy. Planes on the host.
struct GoodCopy {
  Plane picture;  ///< kU8x3: an image of the undamaged artwork, or the object in an earlier scan
  Plane damage;   ///< kU8, of the same size: not 0 where the earlier scan marked damage; empty:
                  ///< not known
};

/// How the object differs. Planes on the host, in object pixels.
struct Comparison {
  Plane picture;   ///< kU8x3: the good copy in object coordinates
  Plane compared;  ///< kU8, 0 and 255: where colours were compared
  Plane changed;   ///< kU8, 0 and 255: where they changed
  Plane strength;  ///< kS32, 1/kStrengthUnit of what is usual
  Plane paler;     ///< kS16, 1/64 grey: how much lighter and less coloured; stains are below 0
  Plane known;     ///< kU8, 0 and 255: damage that the earlier scan had marked, with a margin;
                   ///< empty: not known
};

inline constexpr int kStrengthUnit = 256;

/// Lays the good copy onto the object (reference/copy_registration.h), finds where both show the
/// same print (reference/print_matching.h), explains the scan's colours by the copy's
/// (reference/colour_model.h) and takes the areas that are left (reference/changed_areas.h). The
/// same pictures give the same bytes for any number of threads.
/// @param object  kU8x3 on the host: the object, without highlights (the median of its views)
/// @param where   kU8 on the host, the same size: not 0 where the object was seen
/// Errors: INVALID_OPTION the copy does not show this object; INTERNAL; OUT_OF_MEMORY; CANCELLED
/// and DEADLINE_EXCEEDED; those of the stages
absl::StatusOr<Comparison> CompareWithCopy(const Plane& object, const Plane& where,
                                           const GoodCopy& copy, StageSet& stages, ThreadPool& pool,
                                           const CancelToken& cancel,
                                           const ReferenceParams& params = {});

}  // namespace glint
