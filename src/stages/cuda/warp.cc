// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "glint/error.h"
#include "stages/check_plane.h"
#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/stages.h"

namespace glint::cuda {
namespace {

class GpuWarp final : public WarpStage {
 public:
  explicit GpuWarp(std::unique_ptr<Workplace> workplace) : at_(std::move(workplace)) {}

  absl::StatusOr<Plane> Run(const Plane& source, const Homography& source_from_output, Size size,
                            Interpolation interpolation,
                            std::optional<std::uint8_t> border) override {
    const bool colour = source.type() == PixelType::kU8x3;
    const PixelType type = colour ? PixelType::kU8x3 : PixelType::kU8;
    GLINT_RETURN_IF_FAILED(CheckPlane("warp: source", source, type, at_->device()));
    GLINT_RETURN_IF_FAILED(CheckSize("warp: output", size));
    if (!std::ranges::all_of(source_from_output, [](double v) { return std::isfinite(v); })) {
      return Error(Reason::kInvalidOption,
                   "warp: the homography holds numbers that are not finite");
    }
    Plane output;
    GLINT_TAKE(output, at_->NewPlane(size, type));
    WarpKernel kernel{.source = ImageOf<const std::uint8_t>(source),
                      .out = ImageOf<std::uint8_t>(output),
                      .h = {},
                      .channels = colour ? 3 : 1,
                      .linear = interpolation == Interpolation::kLinear,
                      .replicate = !border,
                      .border = border.value_or(0)};
    std::ranges::copy(warp::TowardsViewer(source_from_output, size), kernel.h);
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&] {
      return at_->stream().Run(kernel, {.across = Tiles(size.width, size.height)});
    }));
    return output;
  }

 private:
  std::unique_ptr<Workplace> at_;
};

}  // namespace

std::unique_ptr<WarpStage> MakeWarp(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuWarp>(std::move(workplace));
}

}  // namespace glint::cuda
