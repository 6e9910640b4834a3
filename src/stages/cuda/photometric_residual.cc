// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric_residual.h"

#include <vector>

#include "stages/check_views.h"
#include "stages/cuda/kernels/photometric_albedo.h"
#include "stages/cuda/photometric_views.h"
#include "stages/cuda/stages.h"

namespace glint::cuda {
namespace {

class GpuResidual final : public ResidualStage {
 public:
  explicit GpuResidual(std::unique_ptr<StreamContext> context) : context_(std::move(context)) {}

  absl::StatusOr<std::vector<Plane>> Run(const PhotometricViews& views, const Albedo& albedo,
                                         const ResidualParams& params) override {
    GLINT_RETURN_IF_ERROR(params.Check());
    const Size size = views.surface.size();
    GLINT_RETURN_IF_ERROR(photometric::CheckViews("residual", views, context_->device()));
    GLINT_RETURN_IF_ERROR(photometric::CheckAlbedo("residual", albedo, size, context_->device()));
    ViewsOnGpu on_gpu(views);
    GLINT_RETURN_IF_ERROR(on_gpu.Allocate(*context_));
    std::vector<Plane> residuals(on_gpu.list.size());
    for (Plane& plane : residuals) {
      GLINT_ASSIGN_OR_RETURN(plane, context_->NewPlane(size, PixelType::kS16));
    }
    const auto outputs = ImagesOf<std::int16_t>(residuals);
    const std::size_t all = on_gpu.pixels * on_gpu.list.size();
    Block output_table, coarse, veiled, curve, bounds, smoothed, weights;
    GLINT_ASSIGN_OR_RETURN(output_table, context_->Allocate<Image<std::int16_t>>(outputs.size()));
    GLINT_ASSIGN_OR_RETURN(coarse, context_->Allocate<std::int16_t>(on_gpu.pixels));
    GLINT_ASSIGN_OR_RETURN(veiled, context_->Allocate<std::int16_t>(on_gpu.pixels));
    GLINT_ASSIGN_OR_RETURN(curve, context_->Allocate<std::int16_t>(on_gpu.pixels));
    GLINT_ASSIGN_OR_RETURN(bounds, context_->Allocate<float>(on_gpu.pixels));
    GLINT_ASSIGN_OR_RETURN(smoothed, context_->Allocate<std::int16_t>(all));
    GLINT_ASSIGN_OR_RETURN(weights, context_->Allocate<std::uint8_t>(all));
    FitViewsKernel fit{.views = nullptr,
                       .surface = on_gpu.surface,
                       .albedo = ImageOf<const std::int16_t>(albedo.grey),
                       .flat_variance_grey2 = params.flat_variance_grey2,
                       .coarse = ValuesOf<const std::int16_t>(coarse),
                       .inverse_bound = ValuesOf<const float>(bounds),
                       .smoothed = ValuesOf<const std::int16_t>(smoothed)};
    const PrepareModelKernel prepare{.grey = fit.albedo,
                                     .gradient = ImageOf<const std::int32_t>(albedo.gradient),
                                     .curvature = ImageOf<const std::int32_t>(albedo.curvature),
                                     .params = params,
                                     .coarse = ValuesOf<std::int16_t>(coarse),
                                     .veiled = ValuesOf<std::int16_t>(veiled),
                                     .inverse_bound = ValuesOf<float>(bounds)};
    static_assert(photometric::kModelRounds == 2);
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(on_gpu.CopyIn(*context_));
      GLINT_RETURN_IF_ERROR(
          context_->CopyIn(output_table, std::span<const Image<std::int16_t>>(outputs)));
      fit.views = on_gpu.views();
      GLINT_RETURN_IF_ERROR(context_->stream().Run(
          SmoothViewsKernel{.views = fit.views, .out = ValuesOf<std::int16_t>(smoothed)},
          on_gpu.GridOf(on_gpu.count)));
      GLINT_RETURN_IF_ERROR(context_->stream().Run(prepare, on_gpu.GridOf(1)));
      GLINT_RETURN_IF_ERROR(FitCurve(fit, ValuesOf<const std::int16_t>(veiled),
                                     ValuesOf<std::int16_t>(curve), on_gpu.GridOf(1)));
      fit.weights_out = ValuesOf<std::uint8_t>(weights);
      GLINT_RETURN_IF_ERROR(context_->stream().Run(fit, on_gpu.GridOf(on_gpu.count)));
      fit.weights_in = fit.weights_out;
      fit.weights_out = nullptr;
      fit.residuals = ValuesOf<const Image<std::int16_t>>(output_table);
      GLINT_RETURN_IF_ERROR(context_->stream().Run(fit, on_gpu.GridOf(on_gpu.count)));
      const RemoveToneCurveKernel take_out{.views = fit.views,
                                           .surface = fit.surface,
                                           .residuals = fit.residuals,
                                           .inverse_bound = fit.inverse_bound,
                                           .curve = ValuesOf<const std::int16_t>(curve),
                                           .curve_doubt_grey2 = params.curve_doubt_grey2,
                                           .straight = ValuesOf<std::int16_t>(smoothed)};
      GLINT_RETURN_IF_ERROR(context_->stream().Run(take_out, on_gpu.GridOf(on_gpu.count)));
      return context_->stream().Run(
          StoreResidualsKernel{.straight = take_out.straight, .residuals = fit.residuals},
          on_gpu.GridOf(on_gpu.count));
    }));
    return residuals;
  }

  absl::StatusOr<Plane> MedianMagnitude(const PhotometricViews& views,
                                        std::span<const Plane> residuals) override {
    GLINT_RETURN_IF_ERROR(photometric::CheckViews("residual", views, context_->device()));
    GLINT_RETURN_IF_ERROR(
        photometric::CheckResiduals("residual", views, residuals, context_->device()));
    ViewsOnGpu on_gpu(views);
    GLINT_RETURN_IF_ERROR(on_gpu.Allocate(*context_));
    const auto inputs = ImagesOf<const std::int16_t>(residuals);
    Plane median;
    Block table;
    GLINT_ASSIGN_OR_RETURN(median, context_->NewPlane(on_gpu.size, PixelType::kS16));
    GLINT_ASSIGN_OR_RETURN(table, context_->Allocate<Image<const std::int16_t>>(inputs.size()));
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(on_gpu.CopyIn(*context_));
      GLINT_RETURN_IF_ERROR(
          context_->CopyIn(table, std::span<const Image<const std::int16_t>>(inputs)));
      return context_->stream().Run(
          MedianOfViewsKernel{.views = on_gpu.views(),
                              .count = on_gpu.count,
                              .surface = on_gpu.surface,
                              .planes = ValuesOf<const Image<const std::int16_t>>(table),
                              .none = 0,
                              .median = ImageOf<std::int16_t>(median)},
          on_gpu.GridOf(1));
    }));
    return median;
  }

 private:
  /// What gain and offset do not explain of the veiled albedo.
  absl::Status FitCurve(FitViewsKernel fit, const std::int16_t* veiled, std::int16_t* curve,
                        Grid grid) {
    fit.views = nullptr;
    fit.smoothed = veiled;
    fit.curve = curve;
    return context_->stream().Run(fit, grid);
  }

  std::unique_ptr<StreamContext> context_;
};

}  // namespace

std::unique_ptr<ResidualStage> MakeResidual(std::unique_ptr<StreamContext> context) {
  return std::make_unique<GpuResidual>(std::move(context));
}

}  // namespace glint::cuda
