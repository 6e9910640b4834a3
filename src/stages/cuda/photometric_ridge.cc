// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric_ridge.h"

#include <memory>

#include "base/params.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_views.h"

namespace glint::cuda {
namespace {

std::unique_ptr<AcrossTable> MakeAcrossTable() {
  auto table = std::make_unique<AcrossTable>();
  for (int direction = 0; direction < photometric::kDirections; ++direction) {
    for (int distance = 1; distance <= RidgeParams::kMaxReach; ++distance) {
      const int pair = 2 * (distance - 1);
      table->places[direction][pair] = photometric::AcrossLine(direction, distance);
      table->places[direction][pair + 1] = photometric::AcrossLine(direction, -distance);
    }
  }
  return table;
}

class GpuRidge final : public RidgeStage {
 public:
  explicit GpuRidge(std::unique_ptr<StreamContext> context)
      : context_(std::move(context)), across_(MakeAcrossTable()) {}

  absl::StatusOr<Plane> Run(const LineEvidence& evidence, std::int32_t above_energy,
                            std::int32_t above_point, const RidgeParams& params) override {
    GLINT_RETURN_IF_ERROR(CheckParams(params));
    GLINT_RETURN_IF_ERROR(photometric::CheckEvidence("ridges", evidence, context_->device()));
    const Size size = evidence.energy.size();
    Plane ridges;
    Block table;
    GLINT_ASSIGN_OR_RETURN(ridges, context_->NewPlane(size, PixelType::kU8));
    GLINT_ASSIGN_OR_RETURN(table, context_->Allocate<AcrossTable>(1));
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(
          context_->CopyIn(table, std::span<const AcrossTable>(across_.get(), 1)));
      return context_->stream().Run(
          SuppressNonMaximaKernel{.energy = ImageOf<const std::int32_t>(evidence.energy),
                                  .point = ImageOf<const std::int32_t>(evidence.point),
                                  .direction = ImageOf<const std::uint8_t>(evidence.direction),
                                  .across = ValuesOf<const AcrossTable>(table),
                                  .above_energy = above_energy,
                                  .above_point = above_point,
                                  .params = params,
                                  .out = ImageOf<std::uint8_t>(ridges)},
          {.x = Tiles(size.width, size.height)});
    }));
    return ridges;
  }

 private:
  std::unique_ptr<StreamContext> context_;
  std::unique_ptr<AcrossTable> across_;
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(Ridge, GpuRidge)

}  // namespace glint::cuda
