// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/check_flow.h"

#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/shared/check_plane.h"

namespace glint {

absl::Status CheckFlowFrames(std::span<const Plane> frames, Device device) {
  return CheckPlanes("flow: frame", frames, PixelType::kU8, device, kMinFlowSide);
}

absl::Status CheckFlowFrames(std::span<const Plane> frames, Device device, std::size_t lengths) {
  GLINT_RETURN_IF_ERROR(CheckFlowFrames(frames, device));
  if (frames.size() < 2) {
    return Error(Reason::kInternal, "flow: mean lengths need at least two frames");
  }
  return CheckCount("flow: frames", frames.size(), lengths + 1);
}

}  // namespace glint
