// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/check_measure.h"

#include <fmt/format.h>

#include "base/status_macros.h"
#include "glint/error.h"
#include "stages/shared/check_flow.h"
#include "stages/shared/check_plane.h"

namespace glint {

absl::Status CheckBatch(std::span<const Plane> luma, bool motion, Size before) {
  if (luma.empty()) return Error(Reason::kInternal, "measuring: a batch without frames");
  if (motion) {
    absl::Status status = CheckPlanes("measuring: frame", luma, PixelType::kU8, {}, kMinFlowSide);
    if (!status.ok() || before.area() == 0 || before == luma.front().size()) return status;
    return Error(Reason::kInternal,
                 fmt::format("measuring: frame is {}, the frames before it were {}",
                             Describe(luma.front()), ToString(before)));
  }
  for (const Plane& plane : luma) {
    GLINT_RETURN_IF_ERROR(CheckPlane("measuring: frame", plane, PixelType::kU8, {}));
  }
  return absl::OkStatus();
}

absl::Status CheckBatchEnd(std::size_t frames, bool motion, std::size_t statistics,
                           std::size_t lengths) {
  if (frames == 0) return Error(Reason::kInternal, "measuring: no batch has begun");
  absl::Status status = CheckCount("measuring: statistics", statistics, frames);
  status.Update(CheckCount("measuring: lengths", lengths, motion ? frames : 0));
  return status;
}

}  // namespace glint
