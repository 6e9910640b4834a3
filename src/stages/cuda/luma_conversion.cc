// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/luma_conversion.h"

#include <algorithm>
#include <vector>

#include "stages/cuda/stages.h"
#include "stages/shared/check_luma.h"

namespace glint::cuda {
namespace {

class GpuLumaConversion final : public GpuStage<LumaConversionStage> {
 public:
  using GpuStage::GpuStage;

  absl::StatusOr<std::vector<Plane>> Run(std::span<const Plane> stored,
                                         const LumaFormat& format) override {
    GLINT_RETURN_IF_ERROR(CheckStoredLuma(stored, format, context_->device()));
    std::vector<Plane> luma(stored.size());
    for (std::size_t i = 0; i < stored.size(); ++i) {
      GLINT_ASSIGN_OR_RETURN(luma[i], context_->NewPlane(stored[i].size(), PixelType::kU8));
    }
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      for (std::size_t first = 0; first < stored.size(); first += kMaxImages) {
        const auto count = std::min<std::size_t>(kMaxImages, stored.size() - first);
        GLINT_RETURN_IF_ERROR(
            Launch(stored.subspan(first, count), format, std::span(luma).subspan(first, count)));
      }
      return absl::OkStatus();
    }));
    return luma;
  }

 private:
  /// Converts at most kMaxImages planes.
  absl::Status Launch(std::span<const Plane> stored, const LumaFormat& format,
                      std::span<const Plane> luma) {
    LumaConversionKernel kernel{.stored = {},
                                .luma = {},
                                .depth = format.depth,
                                .shift = format.shift,
                                .full_range = format.full_range};
    Grid grid{.x = 0, .y = static_cast<int>(stored.size())};
    for (std::size_t i = 0; i < stored.size(); ++i) {
      kernel.stored[i] = ImageOf<const std::uint8_t>(stored[i]);
      kernel.luma[i] = ImageOf<std::uint8_t>(luma[i]);
      grid.x = std::max(grid.x, Tiles(stored[i].width(), stored[i].height()));
    }
    return context_->stream().Run(kernel, grid);
  }
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(LumaConversion, GpuLumaConversion)

}  // namespace glint::cuda
