// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "bench/synth/damage_tools.h"

namespace glint {

/// Where a pixel lies beside a path.
struct NearPath {
  double distance = 0;  ///< from the path
  double across = 0;    ///< the same with a sign: positive to the right of its direction
  double along = 0;     ///< from its start to the nearest point
  double length = 0;    ///< of the whole path
};

/// Calls `visit` for every pixel of the surface (margin included) within `reach` of the path.
void ForEachNear(const Surface& surface, const DamagePath& path, double reach,
                 const std::function<void(int x, int y, const NearPath&)>& visit);

/// Marks a pixel unless it lies off the object or belongs to another defect already.
void MarkId(const Surface& surface, const Plane& ids, int x, int y, int id);

}  // namespace glint
