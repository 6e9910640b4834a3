// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/kernels/sheet_warp.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_plane.h"
#include "stages/shared/check_warp.h"
#include "stages/shared/towards_viewer.h"

namespace glint::cuda {
namespace {

class GpuWarp final : public GpuStage<WarpStage> {
 public:
  using GpuStage::GpuStage;

  absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output, Size size,
                            Interpolation interpolation,
                            std::optional<std::uint8_t> border) override {
    const bool colour = source.type() == PixelType::kU8x3;
    const PixelType type = colour ? PixelType::kU8x3 : PixelType::kU8;
    GLINT_RETURN_IF_ERROR(CheckPlane("warp: source", source, type, context_->device()));
    GLINT_RETURN_IF_ERROR(CheckSize("warp: output", size));
    GLINT_RETURN_IF_ERROR(CheckHomography("warp", source_from_output));
    Plane output;
    GLINT_ASSIGN_OR_RETURN(output, context_->NewPlane(size, type));
    WarpKernel kernel{.source = ImageOf<const std::uint8_t>(source),
                      .out = ImageOf<std::uint8_t>(output),
                      .h = {},
                      .channels = colour ? 3 : 1,
                      .linear = interpolation == Interpolation::kLinear,
                      .replicate = !border,
                      .border = border.value_or(0)};
    std::ranges::copy(warp::TowardsViewer(source_from_output, size), kernel.h);
    GLINT_RETURN_IF_ERROR(FinishPerPixel(*context_, kernel, size));
    return output;
  }
};

class GpuSheetWarp final : public GpuStage<SheetWarpStage> {
 public:
  using GpuStage::GpuStage;

  absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output,
                            const Displacement& displacement, Size size) override {
    constexpr std::string_view kWhere = "sheet warp";
    GLINT_RETURN_IF_ERROR(
        CheckPlane("sheet warp: source", source, PixelType::kU8, context_->device()));
    GLINT_RETURN_IF_ERROR(CheckSize("sheet warp: output", size));
    GLINT_RETURN_IF_ERROR(CheckHomography(kWhere, source_from_output));
    GLINT_RETURN_IF_ERROR(CheckDisplacement(kWhere, displacement, size));
    const std::vector<std::int16_t> nodes = Packed(displacement);
    Plane output;
    Block on_gpu;
    GLINT_ASSIGN_OR_RETURN(output, context_->NewPlane(size, PixelType::kU8));
    GLINT_ASSIGN_OR_RETURN(on_gpu, context_->Allocate<std::int16_t>(nodes.size()));
    SheetWarpKernel kernel{.source = ImageOf<const std::uint8_t>(source),
                           .out = ImageOf<std::uint8_t>(output),
                           .h = {},
                           .nodes_x = ValuesOf<const std::int16_t>(on_gpu),
                           .nodes_y = ValuesOf<const std::int16_t>(on_gpu) + nodes.size() / 2};
    std::ranges::copy(warp::TowardsViewer(source_from_output, size), kernel.h);
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(context_->CopyIn(on_gpu, std::span<const std::int16_t>(nodes)));
      return context_->stream().Run(kernel, {.x = Tiles(size.width, size.height)});
    }));
    return output;
  }

 private:
  /// The nodes of x, then those of y, densely packed.
  static std::vector<std::int16_t> Packed(const Displacement& displacement) {
    std::vector<std::int16_t> nodes;
    for (const Plane& plane : {displacement.x, displacement.y}) {
      for (int y = 0; y < plane.height(); ++y) {
        const auto* row = plane.Row<std::int16_t>(y);
        nodes.insert(nodes.end(), row, row + plane.width());
      }
    }
    return nodes;
  }
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(Warp, GpuWarp)
GLINT_DEFINE_GPU_STAGE(SheetWarp, GpuSheetWarp)

}  // namespace glint::cuda
