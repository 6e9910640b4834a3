// SPDX-License-Identifier: Apache-2.0
#include "analyse/rectify.h"

#include <algorithm>

#include "analyse/quadrilateral.h"
#include "base/status_macros.h"

namespace glint {
namespace {

/// Places of the object, along each side, that are looked for in a frame: for the share it shows.
constexpr int kCoverageGrid = 100;

}  // namespace

absl::StatusOr<Plane> Rectify(const Plane& frame, const Homography& frame_from_object, Size size,
                              StageSet& stages) {
  GLINT_ASSIGN_OR_RETURN(auto source, stages.backend->Upload(frame));
  return stages.warp->Run(source, frame_from_object, size, Interpolation::kLinear, std::nullopt);
}

absl::StatusOr<Plane> Validity(Size frame, const Homography& frame_from_object, Size size,
                               StageSet& stages, const RectificationParams& params) {
  const Plane full = Plane::Host(frame, PixelType::kU8);
  for (int y = 0; y < frame.height; ++y)
    std::fill_n(full.Row<std::uint8_t>(y), frame.width, std::uint8_t{255});
  GLINT_ASSIGN_OR_RETURN(auto source, stages.backend->Upload(full));
  GLINT_ASSIGN_OR_RETURN(
      auto seen, stages.warp->Run(source, frame_from_object, size, Interpolation::kNearest, 0));
  const int side = 2 * params.border_margin_px + 1;
  return stages.morphology->Run(seen, MorphologyOp::kErode, {.size = {side, side}}, 1);
}

double Coverage(Size frame, const Homography& frame_from_object, Size size) {
  int inside = 0;
  for (int j = 0; j < kCoverageGrid; ++j) {
    for (int i = 0; i < kCoverageGrid; ++i) {
      const Point p = Map(frame_from_object, Point{(i + 0.5) / kCoverageGrid * size.width,
                                                   (j + 0.5) / kCoverageGrid * size.height});
      if (p.x >= -0.5 && p.y >= -0.5 && p.x < frame.width - 0.5 && p.y < frame.height - 0.5)
        ++inside;
    }
  }
  return inside / static_cast<double>(kCoverageGrid * kCoverageGrid);
}

}  // namespace glint
