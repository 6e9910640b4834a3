// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/luma_statistics.h"

#include <algorithm>
#include <vector>

#include "stages/cuda/stages.h"
#include "stages/shared/check_plane.h"

namespace glint::cuda {
namespace {

/// Statistics of at most kMaxImages planes.
absl::Status Launch(WorkSink& to, std::span<const Plane> luma, std::uint64_t* sums) {
  LumaStatisticsKernel kernel{.images = {}, .sums = sums};
  Grid grid{.x = 0, .y = static_cast<int>(luma.size())};
  for (std::size_t i = 0; i < luma.size(); ++i) {
    kernel.images[i] = ImageOf<const std::uint8_t>(luma[i]);
    // A smaller image leaves some of its layer's blocks without work.
    grid.x =
        std::max(grid.x, Tiles(luma[i].width(), luma[i].height(),
                               LumaStatisticsKernel::Shape::kThreads, LumaStatisticsKernel::kRows));
  }
  return to.Run(kernel, grid);
}

class GpuLumaStatistics final : public GpuStage<LumaStatisticsStage> {
 public:
  using GpuStage::GpuStage;

  absl::Status Run(std::span<const Plane> luma, std::span<LumaStatistics> out) override {
    GLINT_RETURN_IF_ERROR(CheckCount("luma statistics: results", out.size(), luma.size()));
    for (const Plane& plane : luma) {
      GLINT_RETURN_IF_ERROR(
          CheckPlane("luma statistics: luma", plane, PixelType::kU8, context_->device()));
    }
    if (luma.empty()) return absl::OkStatus();
    std::vector<std::uint64_t> sums(luma.size() * kStatisticsSums);
    Block block;
    GLINT_ASSIGN_OR_RETURN(block, context_->Allocate<std::uint64_t>(sums.size()));
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(context_->Clear<std::uint64_t>(block, sums.size()));
      GLINT_RETURN_IF_ERROR(
          AddStatistics(context_->stream(), luma, ValuesOf<std::uint64_t>(block)));
      return context_->CopyOut(std::span(sums), block);
    }));
    for (std::size_t i = 0; i < luma.size(); ++i) {
      out[i] = StatisticsOf(luma[i].size(),
                            std::span(sums).subspan(i * kStatisticsSums).first<kStatisticsSums>());
    }
    return absl::OkStatus();
  }
};

}  // namespace

absl::Status AddStatistics(WorkSink& to, std::span<const Plane> luma, std::uint64_t* sums) {
  for (std::size_t first = 0; first < luma.size(); first += kMaxImages) {
    const auto count = std::min<std::size_t>(kMaxImages, luma.size() - first);
    GLINT_RETURN_IF_ERROR(Launch(to, luma.subspan(first, count), sums + first * kStatisticsSums));
  }
  return absl::OkStatus();
}

LumaStatistics StatisticsOf(Size size, std::span<const std::uint64_t, kStatisticsSums> sums) {
  return {.pixels = size.area(),
          .laplacian_sum = static_cast<std::int64_t>(sums[0]),
          .laplacian_square_sum = static_cast<std::int64_t>(sums[1]),
          .dark = static_cast<std::int64_t>(sums[2]),
          .bright = static_cast<std::int64_t>(sums[3])};
}

GLINT_DEFINE_GPU_STAGE(LumaStatistics, GpuLumaStatistics)

}  // namespace glint::cuda
