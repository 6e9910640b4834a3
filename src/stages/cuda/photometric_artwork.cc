// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric_artwork.h"

#include "stages/check_views.h"
#include "stages/cuda/photometric_views.h"
#include "stages/cuda/stages.h"

namespace glint::cuda {
namespace {

class GpuArtwork final : public ArtworkStage {
 public:
  explicit GpuArtwork(std::unique_ptr<Workplace> workplace) : at_(std::move(workplace)) {}

  absl::StatusOr<Artwork> Run(const PhotometricViews& views) override {
    GLINT_RETURN_IF_FAILED(photometric::CheckViews("artwork", views, at_->device()));
    ViewsOnGpu on_gpu(views);
    GLINT_RETURN_IF_FAILED(on_gpu.Allocate(*at_));
    Artwork artwork;
    GLINT_TAKE(artwork.grey, at_->NewPlane(on_gpu.size, PixelType::kS16));
    GLINT_TAKE(artwork.gradient, at_->NewPlane(on_gpu.size, PixelType::kS32));
    GLINT_TAKE(artwork.curvature, at_->NewPlane(on_gpu.size, PixelType::kS32));
    GLINT_TAKE(artwork.count, at_->NewPlane(on_gpu.size, PixelType::kU8));
    Block smoothed, slopes;
    GLINT_TAKE(smoothed, at_->Take<std::int16_t>(on_gpu.pixels * on_gpu.list.size()));
    GLINT_TAKE(slopes, at_->Take<std::int32_t>(2 * on_gpu.pixels));
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      GLINT_RETURN_IF_FAILED(on_gpu.CopyIn(*at_));
      auto* values = ValuesOf<std::int16_t>(smoothed);
      GLINT_RETURN_IF_FAILED(
          at_->stream().Run(SmoothViewsKernel{.views = on_gpu.views(), .out = values},
                            on_gpu.BlocksOf(on_gpu.count)));
      GLINT_RETURN_IF_FAILED(
          at_->stream().Run(MedianOfViewsKernel{.views = on_gpu.views(),
                                                .count = on_gpu.count,
                                                .surface = on_gpu.surface,
                                                .values = values,
                                                .none = photometric::kUnseenGrey,
                                                .median = ImageOf<std::int16_t>(artwork.grey),
                                                .counts = ImageOf<std::uint8_t>(artwork.count)},
                            on_gpu.BlocksOf(1)));
      return Differentiate(artwork, on_gpu, ValuesOf<std::int32_t>(slopes));
    }));
    return artwork;
  }

 private:
  absl::Status Differentiate(const Artwork& artwork, const ViewsOnGpu& on_gpu,
                             std::int32_t* slopes) {
    std::int32_t* curvatures = slopes + on_gpu.pixels;
    const Blocks blocks = on_gpu.BlocksOf(1);
    GLINT_RETURN_IF_FAILED(
        at_->stream().Run(ArtworkSlopesKernel{.grey = ImageOf<const std::int16_t>(artwork.grey),
                                              .gradient = slopes,
                                              .curvature = curvatures},
                          blocks));
    GLINT_RETURN_IF_FAILED(at_->stream().Run(
        LargestAroundKernel{.in = slopes, .out = ImageOf<std::int32_t>(artwork.gradient)}, blocks));
    return at_->stream().Run(
        LargestAroundKernel{.in = curvatures, .out = ImageOf<std::int32_t>(artwork.curvature)},
        blocks);
  }

  std::unique_ptr<Workplace> at_;
};

}  // namespace

std::unique_ptr<ArtworkStage> MakeArtwork(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuArtwork>(std::move(workplace));
}

}  // namespace glint::cuda
