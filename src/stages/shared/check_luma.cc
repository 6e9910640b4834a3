// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/check_luma.h"

#include <fmt/format.h>

#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/shared/check_plane.h"

namespace glint {

absl::Status CheckStoredLuma(std::span<const Plane> stored, const LumaFormat& format,
                             Device device) {
  const int bits = format.depth > 8 ? 16 : 8;
  if (format.depth < 8 || format.shift < 0 || format.depth + format.shift > bits) {
    return Error(Reason::kInternal,
                 fmt::format("luma conversion: samples of {} bits above {} unused ones were asked "
                             "for; they have 8 to 16 bits, and fit into {} with the unused ones",
                             format.depth, format.shift, bits));
  }
  const PixelType type = bits == 8 ? PixelType::kU8 : PixelType::kS16;
  for (const Plane& plane : stored) {
    GLINT_RETURN_IF_ERROR(CheckPlane("luma conversion: stored luma", plane, type, device));
    if (plane.stride() % BytesPerPixel(type) != 0) {
      return Error(Reason::kInternal,
                   fmt::format("luma conversion: rows of {} lie {} bytes apart, which is not a "
                               "whole number of samples",
                               Describe(plane), plane.stride()));
    }
  }
  return absl::OkStatus();
}

}  // namespace glint
