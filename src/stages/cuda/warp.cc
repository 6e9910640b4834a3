// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "glint/error.h"
#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_plane.h"
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
    if (!std::ranges::all_of(source_from_output, [](double v) { return std::isfinite(v); })) {
      return Error(Reason::kInternal, "warp: the homography holds numbers that are not finite");
    }
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

}  // namespace

GLINT_DEFINE_GPU_STAGE(Warp, GpuWarp)

}  // namespace glint::cuda
