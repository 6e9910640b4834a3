// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/check_warp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/shared/check_plane.h"
#include "stages/shared/sheet_warp_arithmetic.h"

namespace glint {

static_assert(warp::kDisplacementStep == Displacement::kStep);

absl::Status CheckHomography(std::string_view where, const Homography& homography) {
  if (std::ranges::all_of(homography, [](double v) { return std::isfinite(v); })) {
    return absl::OkStatus();
  }
  return Error(Reason::kInternal,
               fmt::format("{}: the homography holds numbers that are not finite", where));
}

absl::Status CheckDisplacement(std::string_view where, const Displacement& displacement,
                               Size size) {
  const Size nodes = Displacement::NodesFor(size);
  for (const Plane& plane : {displacement.x, displacement.y}) {
    GLINT_RETURN_IF_ERROR(CheckPlane(where, plane, PixelType::kS16, {}));
    if (plane.size() == nodes) continue;
    return Error(Reason::kInternal,
                 fmt::format("{}: the displacement has {}x{} nodes; a picture of {}x{} has {}x{}",
                             where, plane.width(), plane.height(), size.width, size.height,
                             nodes.width, nodes.height));
  }
  return absl::OkStatus();
}

}  // namespace glint
