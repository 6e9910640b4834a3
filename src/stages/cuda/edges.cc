// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "stages/cuda/kernels/canny.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_plane.h"

namespace glint::cuda {
namespace {

/// The largest integer up to a threshold, within what gradients can compare with.
std::int32_t Floor(double threshold) {
  return static_cast<std::int32_t>(std::floor(std::clamp(threshold, -1e6, 1e6)));
}

class GpuEdges final : public GpuStage<EdgeStage> {
 public:
  using GpuStage::GpuStage;

  absl::StatusOr<std::vector<Plane>> Run(const Plane& luma,
                                         std::span<const CannyThresholds> thresholds) override {
    GLINT_RETURN_IF_ERROR(CheckPlane("edges: luma", luma, PixelType::kU8, context_->device()));
    GLINT_RETURN_IF_ERROR(CheckNumbering("edges: luma", luma));
    const auto pixels = static_cast<std::size_t>(luma.size().area());
    std::vector<Plane> edges(thresholds.size());
    for (Plane& plane : edges) {
      GLINT_ASSIGN_OR_RETURN(plane, context_->NewPlane(luma.size(), PixelType::kU8));
    }
    const std::size_t at_once = std::min<std::size_t>(kMaxThresholds, thresholds.size());
    Block labels, bytes;
    GLINT_ASSIGN_OR_RETURN(labels, context_->Allocate<std::int32_t>(pixels * at_once));
    GLINT_ASSIGN_OR_RETURN(bytes, context_->Allocate<std::uint8_t>(2 * pixels * at_once));
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      for (std::size_t first = 0; first < thresholds.size(); first += at_once) {
        const std::size_t count = std::min(at_once, thresholds.size() - first);
        CannyMaps maps[kMaxThresholds];
        for (std::size_t i = 0; i < count; ++i) {
          const auto [one, other] = thresholds[first + i];
          maps[i] = {.low = Floor(std::min(one, other)),
                     .high = Floor(std::max(one, other)),
                     .labels = ValuesOf<std::int32_t>(labels) + i * pixels,
                     .strong = ValuesOf<std::uint8_t>(bytes) + 2 * i * pixels,
                     .reached = ValuesOf<std::uint8_t>(bytes) + (2 * i + 1) * pixels,
                     .edges = ImageOf<std::uint8_t>(edges[first + i])};
        }
        GLINT_RETURN_IF_ERROR(Launch(luma, maps, static_cast<int>(count)));
      }
      return absl::OkStatus();
    }));
    return edges;
  }

 private:
  absl::Status Launch(const Plane& luma, const CannyMaps (&maps)[kMaxThresholds], int count) {
    const Grid grid{.x = Tiles(luma.width(), luma.height()), .y = count};
    CannyClassesKernel classes{.luma = ImageOf<const std::uint8_t>(luma), .maps = {}};
    std::ranges::copy(maps, classes.maps);
    GLINT_RETURN_IF_ERROR(context_->stream().Run(classes, grid));
    CannyLayers layers{.width = luma.width(), .height = luma.height(), .maps = {}};
    std::ranges::copy(maps, layers.maps);
    GLINT_RETURN_IF_ERROR(context_->stream().Run(CannyJoinKernel{layers}, grid));
    GLINT_RETURN_IF_ERROR(context_->stream().Run(CannyReachKernel{layers}, grid));
    return context_->stream().Run(CannyWriteKernel{layers}, grid);
  }
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(Edges, GpuEdges)

}  // namespace glint::cuda
