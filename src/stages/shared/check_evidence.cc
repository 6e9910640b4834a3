// SPDX-License-Identifier: Apache-2.0
#include "stages/shared/check_evidence.h"

#include <fmt/format.h>

#include <array>

#include "glint/error.h"
#include "stages/shared/check_plane.h"
#include "stages/shared/classic_arithmetic.h"

namespace glint {

absl::Status CheckEvidence(std::span<const ClassicEvidence> evidence, std::span<const Plane> greys,
                           Device device) {
  if (greys.empty() || greys.size() != evidence.size() || greys.size() > classic::kMaxPictures) {
    return Error(Reason::kInternal,
                 fmt::format("fusion: {} picture(s) and the evidence of {}; give both for 1 to {}",
                             greys.size(), evidence.size(), classic::kMaxPictures));
  }
  absl::Status status = CheckPlanes("fusion: grey", greys, PixelType::kU8, device);
  for (std::size_t i = 0; status.ok() && i < evidence.size(); ++i) {
    const auto& [edges, detail] = evidence[i];
    const std::array bytes = {greys[0], edges[0], edges[1], edges[2]};
    const std::array integers = {detail.laplacian, detail.gradient, detail.variance};
    status = CheckPlanes("fusion: edges", bytes, PixelType::kU8, device);
    status.Update(CheckPlanes("fusion: detail", integers, PixelType::kS32, device));
    if (status.ok() && integers[0].size() != greys[0].size()) {
      status = Error(Reason::kInternal,
                     fmt::format("fusion: the detail is {}, but its picture {}; give one size",
                                 Describe(integers[0]), Describe(greys[0])));
    }
  }
  return status;
}

}  // namespace glint
