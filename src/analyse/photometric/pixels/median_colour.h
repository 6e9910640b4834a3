// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <span>

#include "base/thread_pool.h"
#include "glint/plane.h"
#include "glint/stored_plane.h"

namespace glint::photometric {

/// Median of each channel over some pictures, the mean of the two middle values (rounded down) of
/// an even number: the object without its highlights, and without what passes in front of it.
/// @param pictures  kU8x3 on the host, one size, 1..kMaxPhotometricViews
/// Errors: INTERNAL pictures that do not fit together; OUT_OF_MEMORY
absl::StatusOr<Plane> MedianColour(std::span<const StoredPlane> pictures, ThreadPool& pool);

}  // namespace glint::photometric
