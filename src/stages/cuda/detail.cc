// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_plane.h"

namespace glint::cuda {
namespace {

class GpuDetail final : public GpuStage<DetailStage> {
 public:
  using GpuStage::GpuStage;

  absl::StatusOr<DetailMaps> Run(const Plane& grey) override {
    GLINT_RETURN_IF_ERROR(CheckPlane("detail: grey", grey, PixelType::kU8, context_->device()));
    DetailMaps maps;
    for (Plane* plane : {&maps.laplacian, &maps.gradient, &maps.variance}) {
      GLINT_ASSIGN_OR_RETURN(*plane, context_->NewPlane(grey.size(), PixelType::kS32));
    }
    const DetailKernel kernel{.grey = ImageOf<const std::uint8_t>(grey),
                              .laplacian = ImageOf<std::int32_t>(maps.laplacian),
                              .gradient = ImageOf<std::int32_t>(maps.gradient),
                              .variance = ImageOf<std::int32_t>(maps.variance)};
    GLINT_RETURN_IF_ERROR(FinishPerPixel(*context_, kernel, grey.size()));
    return maps;
  }
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(Detail, GpuDetail)

}  // namespace glint::cuda
