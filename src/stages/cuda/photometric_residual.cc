// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric_residual.h"

#include <vector>

#include "base/params.h"
#include "stages/cuda/kernels/photometric_albedo.h"
#include "stages/cuda/photometric_views.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_views.h"

namespace glint::cuda {
namespace {

/// What the kernels pass to each other.
struct ResidualMemory {
  Block output_table, coarse, veiled, curve, bounds, smoothed, weights;

  absl::Status Allocate(StreamContext& context, std::size_t pixels, std::size_t views) {
    GLINT_ASSIGN_OR_RETURN(output_table, context.Allocate<Image<std::int16_t>>(views));
    GLINT_ASSIGN_OR_RETURN(coarse, context.Allocate<std::int16_t>(pixels));
    GLINT_ASSIGN_OR_RETURN(veiled, context.Allocate<std::int16_t>(pixels));
    GLINT_ASSIGN_OR_RETURN(curve, context.Allocate<std::int16_t>(pixels));
    GLINT_ASSIGN_OR_RETURN(bounds, context.Allocate<float>(pixels));
    GLINT_ASSIGN_OR_RETURN(smoothed, context.Allocate<std::int16_t>(pixels * views));
    GLINT_ASSIGN_OR_RETURN(weights, context.Allocate<std::uint8_t>(pixels * views));
    return absl::OkStatus();
  }
};

class GpuResidual final : public GpuStage<ResidualStage> {
 public:
  using GpuStage::GpuStage;

  absl::StatusOr<std::vector<StoredPlane>> Run(const PhotometricViews& views, const Albedo& albedo,
                                               const ResidualParams& params) override {
    GLINT_RETURN_IF_ERROR(CheckParams(params));
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
    ResidualMemory memory;
    GLINT_RETURN_IF_ERROR(memory.Allocate(*context_, on_gpu.pixels, outputs.size()));
    FitViewsKernel fit{.views = nullptr,
                       .surface = on_gpu.surface,
                       .albedo = ImageOf<const std::int16_t>(albedo.grey),
                       .flat_variance_grey2 = params.flat_variance_grey2,
                       .coarse = ValuesOf<const std::int16_t>(memory.coarse),
                       .inverse_bound = ValuesOf<const float>(memory.bounds),
                       .smoothed = ValuesOf<const std::int16_t>(memory.smoothed)};
    const PrepareModelKernel prepare{.grey = fit.albedo,
                                     .gradient = ImageOf<const std::int32_t>(albedo.gradient),
                                     .curvature = ImageOf<const std::int32_t>(albedo.curvature),
                                     .params = params,
                                     .coarse = ValuesOf<std::int16_t>(memory.coarse),
                                     .veiled = ValuesOf<std::int16_t>(memory.veiled),
                                     .inverse_bound = ValuesOf<float>(memory.bounds)};
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(on_gpu.CopyIn(*context_));
      GLINT_RETURN_IF_ERROR(
          context_->CopyIn(memory.output_table, std::span<const Image<std::int16_t>>(outputs)));
      fit.views = on_gpu.views();
      return Launch(on_gpu, memory, fit, prepare);
    }));
    return std::vector<StoredPlane>(residuals.begin(), residuals.end());
  }

  absl::StatusOr<Plane> MedianMagnitude(const PhotometricViews& views,
                                        std::span<const StoredPlane> residuals) override {
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
  /// All kernels of Run(), after the tables are copied.
  absl::Status Launch(const ViewsOnGpu& on_gpu, const ResidualMemory& memory, FitViewsKernel fit,
                      const PrepareModelKernel& prepare) {
    static_assert(photometric::kModelRounds == 2);
    GLINT_RETURN_IF_ERROR(context_->stream().Run(
        SmoothViewsKernel{.views = fit.views, .out = ValuesOf<std::int16_t>(memory.smoothed)},
        on_gpu.GridOf(on_gpu.count)));
    GLINT_RETURN_IF_ERROR(context_->stream().Run(prepare, on_gpu.GridOf(1)));
    GLINT_RETURN_IF_ERROR(FitCurve(fit, ValuesOf<const std::int16_t>(memory.veiled),
                                   ValuesOf<std::int16_t>(memory.curve), on_gpu.GridOf(1)));
    fit.weights_out = ValuesOf<std::uint8_t>(memory.weights);
    GLINT_RETURN_IF_ERROR(context_->stream().Run(fit, on_gpu.GridOf(on_gpu.count)));
    fit.weights_in = fit.weights_out;
    fit.weights_out = nullptr;
    fit.residuals = ValuesOf<const Image<std::int16_t>>(memory.output_table);
    GLINT_RETURN_IF_ERROR(context_->stream().Run(fit, on_gpu.GridOf(on_gpu.count)));
    const RemoveToneCurveKernel take_out{.views = fit.views,
                                         .surface = fit.surface,
                                         .residuals = fit.residuals,
                                         .inverse_bound = fit.inverse_bound,
                                         .curve = ValuesOf<const std::int16_t>(memory.curve),
                                         .curve_doubt_grey2 = prepare.params.curve_doubt_grey2,
                                         .straight = ValuesOf<std::int16_t>(memory.smoothed)};
    GLINT_RETURN_IF_ERROR(context_->stream().Run(take_out, on_gpu.GridOf(on_gpu.count)));
    return context_->stream().Run(
        StoreResidualsKernel{.straight = take_out.straight, .residuals = fit.residuals},
        on_gpu.GridOf(on_gpu.count));
  }

  /// What gain and offset do not explain of the veiled albedo.
  absl::Status FitCurve(FitViewsKernel fit, const std::int16_t* veiled, std::int16_t* curve,
                        Grid grid) {
    fit.views = nullptr;
    fit.smoothed = veiled;
    fit.curve = curve;
    return context_->stream().Run(fit, grid);
  }
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(Residual, GpuResidual)

}  // namespace glint::cuda
