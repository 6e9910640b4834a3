// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric_residual.h"

#include <vector>

#include "stages/check_views.h"
#include "stages/cuda/kernels/photometric_artwork.h"
#include "stages/cuda/photometric_views.h"
#include "stages/cuda/stages.h"

namespace glint::cuda {
namespace {

class GpuResidual final : public ResidualStage {
 public:
  explicit GpuResidual(std::unique_ptr<Workplace> workplace) : at_(std::move(workplace)) {}

  absl::StatusOr<std::vector<Plane>> Run(const PhotometricViews& views,
                                         const Artwork& artwork) override {
    const Size size = views.surface.size();
    GLINT_RETURN_IF_FAILED(photometric::CheckViews("residual", views, at_->device()));
    GLINT_RETURN_IF_FAILED(photometric::CheckArtwork("residual", artwork, size, at_->device()));
    ViewsOnGpu on_gpu(views);
    GLINT_RETURN_IF_FAILED(on_gpu.Allocate(*at_));
    std::vector<Plane> residuals(on_gpu.list.size());
    for (Plane& plane : residuals) GLINT_TAKE(plane, at_->NewPlane(size, PixelType::kS16));
    const auto outputs = ImagesOf<std::int16_t>(residuals);
    const std::size_t all = on_gpu.pixels * on_gpu.list.size();
    Block output_table, coarse, veiled, curve, bounds, smoothed, weights;
    GLINT_TAKE(output_table, at_->Take<Image<std::int16_t>>(outputs.size()));
    GLINT_TAKE(coarse, at_->Take<std::int16_t>(on_gpu.pixels));
    GLINT_TAKE(veiled, at_->Take<std::int16_t>(on_gpu.pixels));
    GLINT_TAKE(curve, at_->Take<std::int16_t>(on_gpu.pixels));
    GLINT_TAKE(bounds, at_->Take<float>(on_gpu.pixels));
    GLINT_TAKE(smoothed, at_->Take<std::int16_t>(all));
    GLINT_TAKE(weights, at_->Take<std::uint8_t>(all));
    FitViewsKernel fit{.views = nullptr,
                       .surface = on_gpu.surface,
                       .artwork = ImageOf<const std::int16_t>(artwork.grey),
                       .coarse = ValuesOf<const std::int16_t>(coarse),
                       .inverse_bound = ValuesOf<const float>(bounds),
                       .smoothed = ValuesOf<const std::int16_t>(smoothed)};
    const PrepareModelKernel prepare{.grey = fit.artwork,
                                     .gradient = ImageOf<const std::int32_t>(artwork.gradient),
                                     .curvature = ImageOf<const std::int32_t>(artwork.curvature),
                                     .noise = photometric::kAssumedNoise,
                                     .coarse = ValuesOf<std::int16_t>(coarse),
                                     .veiled = ValuesOf<std::int16_t>(veiled),
                                     .inverse_bound = ValuesOf<float>(bounds)};
    static_assert(photometric::kModelRounds == 2);
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      GLINT_RETURN_IF_FAILED(on_gpu.CopyIn(*at_));
      GLINT_RETURN_IF_FAILED(
          at_->CopyIn(output_table, std::span<const Image<std::int16_t>>(outputs)));
      fit.views = on_gpu.views();
      GLINT_RETURN_IF_FAILED(at_->stream().Run(
          SmoothViewsKernel{.views = fit.views, .out = ValuesOf<std::int16_t>(smoothed)},
          on_gpu.BlocksOf(on_gpu.count)));
      GLINT_RETURN_IF_FAILED(at_->stream().Run(prepare, on_gpu.BlocksOf(1)));
      GLINT_RETURN_IF_FAILED(FitCurve(fit, ValuesOf<const std::int16_t>(veiled),
                                      ValuesOf<std::int16_t>(curve), on_gpu.BlocksOf(1)));
      fit.weights_out = ValuesOf<std::uint8_t>(weights);
      GLINT_RETURN_IF_FAILED(at_->stream().Run(fit, on_gpu.BlocksOf(on_gpu.count)));
      fit.weights_in = fit.weights_out;
      fit.weights_out = nullptr;
      fit.residuals = ValuesOf<const Image<std::int16_t>>(output_table);
      GLINT_RETURN_IF_FAILED(at_->stream().Run(fit, on_gpu.BlocksOf(on_gpu.count)));
      const TakeOutCurveKernel take_out{.views = fit.views,
                                        .surface = fit.surface,
                                        .residuals = fit.residuals,
                                        .inverse_bound = fit.inverse_bound,
                                        .curve = ValuesOf<const std::int16_t>(curve),
                                        .straight = ValuesOf<std::int16_t>(smoothed)};
      GLINT_RETURN_IF_FAILED(at_->stream().Run(take_out, on_gpu.BlocksOf(on_gpu.count)));
      return at_->stream().Run(
          KeepResidualsKernel{.straight = take_out.straight, .residuals = fit.residuals},
          on_gpu.BlocksOf(on_gpu.count));
    }));
    return residuals;
  }

  absl::StatusOr<Plane> MedianMagnitude(const PhotometricViews& views,
                                        std::span<const Plane> residuals) override {
    GLINT_RETURN_IF_FAILED(photometric::CheckViews("residual", views, at_->device()));
    GLINT_RETURN_IF_FAILED(
        photometric::CheckResiduals("residual", views, residuals, at_->device()));
    ViewsOnGpu on_gpu(views);
    GLINT_RETURN_IF_FAILED(on_gpu.Allocate(*at_));
    const auto inputs = ImagesOf<const std::int16_t>(residuals);
    Plane median;
    Block table;
    GLINT_TAKE(median, at_->NewPlane(on_gpu.size, PixelType::kS16));
    GLINT_TAKE(table, at_->Take<Image<const std::int16_t>>(inputs.size()));
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      GLINT_RETURN_IF_FAILED(on_gpu.CopyIn(*at_));
      GLINT_RETURN_IF_FAILED(
          at_->CopyIn(table, std::span<const Image<const std::int16_t>>(inputs)));
      return at_->stream().Run(
          MedianOfViewsKernel{.views = on_gpu.views(),
                              .count = on_gpu.count,
                              .surface = on_gpu.surface,
                              .planes = ValuesOf<const Image<const std::int16_t>>(table),
                              .none = 0,
                              .median = ImageOf<std::int16_t>(median)},
          on_gpu.BlocksOf(1));
    }));
    return median;
  }

 private:
  /// What gain and offset do not explain of the veiled artwork.
  absl::Status FitCurve(FitViewsKernel fit, const std::int16_t* veiled, std::int16_t* curve,
                        Blocks blocks) {
    fit.views = nullptr;
    fit.smoothed = veiled;
    fit.curve = curve;
    return at_->stream().Run(fit, blocks);
  }

  std::unique_ptr<Workplace> at_;
};

}  // namespace

std::unique_ptr<ResidualStage> MakeResidual(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuResidual>(std::move(workplace));
}

}  // namespace glint::cuda
