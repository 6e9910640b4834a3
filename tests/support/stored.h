// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "glint/stored_plane.h"

namespace glint {

/// The planes, put away.
inline std::vector<StoredPlane> Stored(std::span<const Plane> planes) {
  return std::vector<StoredPlane>(planes.begin(), planes.end());
}

}  // namespace glint
