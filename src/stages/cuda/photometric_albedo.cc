// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric_albedo.h"

#include "stages/cuda/photometric_views.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_views.h"

namespace glint::cuda {
namespace {

class GpuAlbedo final : public GpuStage<AlbedoStage> {
 public:
  using GpuStage::GpuStage;

  absl::StatusOr<Albedo> Run(const PhotometricViews& views) override {
    GLINT_RETURN_IF_ERROR(photometric::CheckViews("artwork", views, context_->device()));
    ViewsOnGpu on_gpu(views);
    GLINT_RETURN_IF_ERROR(on_gpu.Allocate(*context_));
    Albedo albedo;
    GLINT_ASSIGN_OR_RETURN(albedo.grey, context_->NewPlane(on_gpu.size, PixelType::kS16));
    GLINT_ASSIGN_OR_RETURN(albedo.gradient, context_->NewPlane(on_gpu.size, PixelType::kS32));
    GLINT_ASSIGN_OR_RETURN(albedo.curvature, context_->NewPlane(on_gpu.size, PixelType::kS32));
    GLINT_ASSIGN_OR_RETURN(albedo.count, context_->NewPlane(on_gpu.size, PixelType::kU8));
    Block smoothed, slopes;
    GLINT_ASSIGN_OR_RETURN(smoothed,
                           context_->Allocate<std::int16_t>(on_gpu.pixels * on_gpu.list.size()));
    GLINT_ASSIGN_OR_RETURN(slopes, context_->Allocate<std::int32_t>(2 * on_gpu.pixels));
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(on_gpu.CopyIn(*context_));
      auto* values = ValuesOf<std::int16_t>(smoothed);
      GLINT_RETURN_IF_ERROR(context_->stream().Run(
          SmoothViewsKernel{.views = on_gpu.views(), .out = values}, on_gpu.GridOf(on_gpu.count)));
      GLINT_RETURN_IF_ERROR(
          context_->stream().Run(MedianOfViewsKernel{.views = on_gpu.views(),
                                                     .count = on_gpu.count,
                                                     .surface = on_gpu.surface,
                                                     .values = values,
                                                     .none = photometric::kUnseenGrey,
                                                     .median = ImageOf<std::int16_t>(albedo.grey),
                                                     .counts = ImageOf<std::uint8_t>(albedo.count)},
                                 on_gpu.GridOf(1)));
      return Differentiate(albedo, on_gpu, ValuesOf<std::int32_t>(slopes));
    }));
    return albedo;
  }

 private:
  absl::Status Differentiate(const Albedo& albedo, const ViewsOnGpu& on_gpu, std::int32_t* slopes) {
    std::int32_t* curvatures = slopes + on_gpu.pixels;
    const Grid grid = on_gpu.GridOf(1);
    GLINT_RETURN_IF_ERROR(context_->stream().Run(
        AlbedoDerivativesKernel{.grey = ImageOf<const std::int16_t>(albedo.grey),
                                .gradient = slopes,
                                .curvature = curvatures},
        grid));
    GLINT_RETURN_IF_ERROR(context_->stream().Run(
        MaxFilterKernel{.in = slopes, .out = ImageOf<std::int32_t>(albedo.gradient)}, grid));
    return context_->stream().Run(
        MaxFilterKernel{.in = curvatures, .out = ImageOf<std::int32_t>(albedo.curvature)}, grid);
  }
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(Albedo, GpuAlbedo)

}  // namespace glint::cuda
