// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/check_components.h"

#include <fmt/format.h>

#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/shared/check_plane.h"

namespace glint {

absl::Status CheckComponents(const Plane& mask, const Plane& values, Device device) {
  GLINT_RETURN_IF_ERROR(CheckPlane("components: mask", mask, PixelType::kU8, device));
  GLINT_RETURN_IF_ERROR(CheckNumbering("components: mask", mask));
  if (values.empty()) return absl::OkStatus();
  GLINT_RETURN_IF_ERROR(CheckPlane("components: values", values, PixelType::kS32, device));
  if (values.size() == mask.size()) return absl::OkStatus();
  return Error(Reason::kInternal,
               fmt::format("components: the values are {}, but the mask is {}; give one size",
                           Describe(values), Describe(mask)));
}

}  // namespace glint
