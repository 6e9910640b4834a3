// SPDX-License-Identifier: Apache-2.0
#include "stages/check_components.h"

#include <fmt/format.h>

#include "glint/error.h"
#include "stages/check_plane.h"

namespace glint {

absl::Status CheckComponents(const Plane& mask, const Plane& values, Device device) {
  absl::Status status = CheckPlane("components: mask", mask, PixelType::kU8, device);
  if (status.ok()) status = CheckNumbering("components: mask", mask);
  if (!status.ok() || values.empty()) return status;
  status = CheckPlane("components: values", values, PixelType::kS32, device);
  if (!status.ok() || values.size() == mask.size()) return status;
  return Error(Reason::kInvalidOption,
               fmt::format("components: the values are {}, but the mask is {}; give one size",
                           Describe(values), Describe(mask)));
}

}  // namespace glint
