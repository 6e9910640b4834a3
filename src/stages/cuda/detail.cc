// SPDX-License-Identifier: Apache-2.0
#include "stages/check_plane.h"
#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/stages.h"

namespace glint::cuda {
namespace {

class GpuDetail final : public DetailStage {
 public:
  explicit GpuDetail(std::unique_ptr<Workplace> workplace) : at_(std::move(workplace)) {}

  absl::StatusOr<DetailMaps> Run(const Plane& grey) override {
    GLINT_RETURN_IF_FAILED(CheckPlane("detail: grey", grey, PixelType::kU8, at_->device()));
    DetailMaps maps;
    for (Plane* plane : {&maps.laplacian, &maps.gradient, &maps.variance}) {
      GLINT_TAKE(*plane, at_->NewPlane(grey.size(), PixelType::kS32));
    }
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&] {
      return at_->stream().Run(DetailKernel{.grey = ImageOf<const std::uint8_t>(grey),
                                            .laplacian = ImageOf<std::int32_t>(maps.laplacian),
                                            .gradient = ImageOf<std::int32_t>(maps.gradient),
                                            .variance = ImageOf<std::int32_t>(maps.variance)},
                               {.across = Tiles(grey.width(), grey.height())});
    }));
    return maps;
  }

 private:
  std::unique_ptr<Workplace> at_;
};

}  // namespace

std::unique_ptr<DetailStage> MakeDetail(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuDetail>(std::move(workplace));
}

}  // namespace glint::cuda
