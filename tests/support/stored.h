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

/// Planes that lie on a device, or were put away on the host.
inline std::vector<Plane> Shown(std::span<const StoredPlane> stored) {
  std::vector<Plane> planes;
  planes.reserve(stored.size());
  for (const StoredPlane& plane : stored) {
    planes.push_back(plane.device().is_host() ? plane.Whole() : plane.on_device());
  }
  return planes;
}

}  // namespace glint
