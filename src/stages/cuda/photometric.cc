// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "glint/error.h"
#include "stages/check_plane.h"
#include "stages/check_views.h"
#include "stages/cuda/stages.h"

namespace glint::cuda {
namespace {

/// What all kernels on views take; its memory is in `table`.
struct ViewsOnGpu {
  explicit ViewsOnGpu(const PhotometricViews& views)
      : size(views.surface.size()),
        pixels(static_cast<std::size_t>(size.area())),
        count(static_cast<int>(views.greys.size())),
        surface(ImageOf<const std::uint8_t>(views.surface)) {
    for (std::size_t i = 0; i < views.greys.size(); ++i) {
      list.push_back({.grey = ImageOf<const std::uint8_t>(views.greys[i]),
                      .valid = ImageOf<const std::uint8_t>(views.valid[i])});
    }
  }

  absl::Status Allocate(Workplace& at) {
    GLINT_TAKE(table, at.Take<View>(list.size()));
    return absl::OkStatus();
  }
  absl::Status CopyIn(Workplace& at) { return at.CopyIn(table, std::span<const View>(list)); }

  const View* views() const { return ValuesOf<const View>(table); }
  Blocks BlocksOf(int layers) const {
    return {.across = Tiles(size.width, size.height), .layers = layers};
  }

  Size size;
  std::size_t pixels;
  int count;
  Image<const std::uint8_t> surface;
  std::vector<View> list;
  Block table;
};

template <class T>
std::vector<Image<T>> ImagesOf(std::span<const Plane> planes) {
  std::vector<Image<T>> images;
  for (const Plane& plane : planes) images.push_back(ImageOf<T>(plane));
  return images;
}

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

std::array<std::int32_t, 256> RootWeights() {
  std::array<std::int32_t, 256> weights;
  for (int n = 0; n < 256; ++n) weights[static_cast<std::size_t>(n)] = photometric::RootWeight(n);
  return weights;
}

LineTapTable TapTable() {
  LineTapTable table;
  for (int direction = 0; direction < photometric::kDirections; ++direction) {
    for (int tap = 1; tap <= photometric::kLineTaps; ++tap) {
      const photometric::TapPlace place = photometric::LineTap(direction, tap);
      table.x[direction][tap - 1] = static_cast<std::int8_t>(place.x);
      table.y[direction][tap - 1] = static_cast<std::int8_t>(place.y);
    }
  }
  return table;
}

/// Memory of the line evidence: residuals in units of noise per view, and groups of views.
struct LineMemory {
  absl::Status Allocate(Workplace& at, const ViewsOnGpu& views, int groups) {
    const std::size_t all = views.pixels * views.list.size();
    group_values = views.pixels * static_cast<std::size_t>(groups);
    GLINT_TAKE(residuals, at.Take<Image<const std::int16_t>>(views.list.size()));
    GLINT_TAKE(scale, at.Take<float>(views.pixels));
    GLINT_TAKE(rest, at.Take<std::int16_t>(all));
    GLINT_TAKE(seen, at.Take<std::uint8_t>(all));
    GLINT_TAKE(sums, at.Take<std::int16_t>(group_values));
    GLINT_TAKE(counts, at.Take<std::uint8_t>(group_values));
    GLINT_TAKE(smooth, at.Take<std::int16_t>(group_values));
    GLINT_TAKE(root_weights, at.Take<std::int32_t>(256));
    return absl::OkStatus();
  }

  std::size_t group_values = 0;
  Block residuals, scale, rest, seen, sums, counts, smooth, root_weights;
};

class GpuLineEvidence final : public LineEvidenceStage {
 public:
  explicit GpuLineEvidence(std::unique_ptr<Workplace> workplace)
      : at_(std::move(workplace)), root_weights_(RootWeights()), taps_(TapTable()) {}

  absl::StatusOr<LineEvidence> Run(const PhotometricViews& views, std::span<const Plane> residuals,
                                   const Artwork& artwork, const NoiseModel& noise) override {
    constexpr std::string_view kWhere = "line evidence";
    const Size size = views.surface.size();
    GLINT_RETURN_IF_FAILED(photometric::CheckViews(kWhere, views, at_->device()));
    GLINT_RETURN_IF_FAILED(photometric::CheckResiduals(kWhere, views, residuals, at_->device()));
    GLINT_RETURN_IF_FAILED(photometric::CheckArtwork(kWhere, artwork, size, at_->device()));
    GLINT_RETURN_IF_FAILED(photometric::CheckNoise(kWhere, noise));
    ViewsOnGpu on_gpu(views);
    const Grouping grouping{.views = on_gpu.count,
                            .groups = std::min(photometric::kGroups, on_gpu.count)};
    LineMemory memory;
    GLINT_RETURN_IF_FAILED(on_gpu.Allocate(*at_));
    GLINT_RETURN_IF_FAILED(memory.Allocate(*at_, on_gpu, grouping.groups));
    LineEvidence evidence;
    GLINT_TAKE(evidence.energy, at_->NewPlane(size, PixelType::kS32));
    GLINT_TAKE(evidence.direction, at_->NewPlane(size, PixelType::kU8));
    GLINT_TAKE(evidence.point, at_->NewPlane(size, PixelType::kS32));
    const auto inputs = ImagesOf<const std::int16_t>(residuals);
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      GLINT_RETURN_IF_FAILED(on_gpu.CopyIn(*at_));
      GLINT_RETURN_IF_FAILED(
          at_->CopyIn(memory.residuals, std::span<const Image<const std::int16_t>>(inputs)));
      GLINT_RETURN_IF_FAILED(WriteUnits(on_gpu, artwork, noise, memory));
      GLINT_RETURN_IF_FAILED(Average(on_gpu, grouping, memory));
      return at_->stream().Run(
          FindLinesKernel{.views = on_gpu.views(),
                          .grouping = grouping,
                          .groups = ValuesOf<const std::int16_t>(memory.smooth),
                          .taps = taps_,
                          .counts = ImageOf<const std::uint8_t>(artwork.count),
                          .energy = ImageOf<std::int32_t>(evidence.energy),
                          .point = ImageOf<std::int32_t>(evidence.point),
                          .direction = ImageOf<std::uint8_t>(evidence.direction)},
          on_gpu.BlocksOf(1));
    }));
    return evidence;
  }

 private:
  absl::Status WriteUnits(const ViewsOnGpu& on_gpu, const Artwork& artwork, const NoiseModel& noise,
                          const LineMemory& memory) {
    auto* scale = ValuesOf<float>(memory.scale);
    GLINT_RETURN_IF_FAILED(at_->stream().Run(
        ScaleOfNoiseKernel{.gradient = ImageOf<const std::int32_t>(artwork.gradient),
                           .curvature = ImageOf<const std::int32_t>(artwork.curvature),
                           .noise = noise,
                           .scale = scale},
        on_gpu.BlocksOf(1)));
    return at_->stream().Run(
        ViewUnitsKernel{.views = on_gpu.views(),
                        .surface = on_gpu.surface,
                        .residuals = ValuesOf<const Image<const std::int16_t>>(memory.residuals),
                        .scale = scale,
                        .rest = ValuesOf<std::int16_t>(memory.rest),
                        .seen = ValuesOf<std::uint8_t>(memory.seen)},
        on_gpu.BlocksOf(on_gpu.count));
  }

  absl::Status Average(const ViewsOnGpu& on_gpu, const Grouping& grouping,
                       const LineMemory& memory) {
    const Blocks blocks = on_gpu.BlocksOf(grouping.groups);
    auto* sums = ValuesOf<std::int16_t>(memory.sums);
    auto* counts = ValuesOf<std::uint8_t>(memory.counts);
    GLINT_RETURN_IF_FAILED(at_->Clear<std::int16_t>(memory.sums, memory.group_values));
    GLINT_RETURN_IF_FAILED(at_->Clear<std::uint8_t>(memory.counts, memory.group_values));
    GLINT_RETURN_IF_FAILED(
        at_->CopyIn(memory.root_weights, std::span<const std::int32_t>(root_weights_)));
    const int most = grouping.Begin(1);  // views of the first group, which has the most
    for (int index = 0; index < most; ++index) {
      GLINT_RETURN_IF_FAILED(
          at_->stream().Run(AddCalmedKernel{.width = on_gpu.size.width,
                                            .height = on_gpu.size.height,
                                            .grouping = grouping,
                                            .index = index,
                                            .rest = ValuesOf<const std::int16_t>(memory.rest),
                                            .seen = ValuesOf<const std::uint8_t>(memory.seen),
                                            .sums = sums,
                                            .counts = counts},
                            blocks));
    }
    GLINT_RETURN_IF_FAILED(at_->stream().Run(
        RootMeansKernel{.width = on_gpu.size.width,
                        .height = on_gpu.size.height,
                        .sums = sums,
                        .counts = counts,
                        .root_weights = ValuesOf<const std::int32_t>(memory.root_weights)},
        blocks));
    return at_->stream().Run(SmoothGroupsKernel{.width = on_gpu.size.width,
                                                .height = on_gpu.size.height,
                                                .means = sums,
                                                .out = ValuesOf<std::int16_t>(memory.smooth)},
                             blocks);
  }

  std::unique_ptr<Workplace> at_;
  std::array<std::int32_t, 256> root_weights_;
  LineTapTable taps_;
};

std::unique_ptr<AcrossTable> MakeAcrossTable() {
  auto table = std::make_unique<AcrossTable>();
  for (int direction = 0; direction < photometric::kDirections; ++direction) {
    for (int distance = 1; distance <= photometric::kRidgeReach; ++distance) {
      auto* places = table->places[direction] + 2 * (distance - 1);
      places[0] = photometric::AcrossLine(direction, distance);
      places[1] = photometric::AcrossLine(direction, -distance);
    }
  }
  return table;
}

class GpuRidge final : public RidgeStage {
 public:
  explicit GpuRidge(std::unique_ptr<Workplace> workplace)
      : at_(std::move(workplace)), across_(MakeAcrossTable()) {}

  absl::StatusOr<Plane> Run(const LineEvidence& evidence, std::int32_t above_energy,
                            std::int32_t above_point) override {
    GLINT_RETURN_IF_FAILED(photometric::CheckEvidence("ridges", evidence, at_->device()));
    const Size size = evidence.energy.size();
    Plane ridges;
    Block table;
    GLINT_TAKE(ridges, at_->NewPlane(size, PixelType::kU8));
    GLINT_TAKE(table, at_->Take<AcrossTable>(1));
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      GLINT_RETURN_IF_FAILED(at_->CopyIn(table, std::span<const AcrossTable>(across_.get(), 1)));
      return at_->stream().Run(
          MarkRidgesKernel{.energy = ImageOf<const std::int32_t>(evidence.energy),
                           .point = ImageOf<const std::int32_t>(evidence.point),
                           .direction = ImageOf<const std::uint8_t>(evidence.direction),
                           .across = ValuesOf<const AcrossTable>(table),
                           .above_energy = above_energy,
                           .above_point = above_point,
                           .out = ImageOf<std::uint8_t>(ridges)},
          {.across = Tiles(size.width, size.height)});
    }));
    return ridges;
  }

 private:
  std::unique_ptr<Workplace> at_;
  std::unique_ptr<AcrossTable> across_;
};

}  // namespace

std::unique_ptr<ArtworkStage> MakeArtwork(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuArtwork>(std::move(workplace));
}
std::unique_ptr<ResidualStage> MakeResidual(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuResidual>(std::move(workplace));
}
std::unique_ptr<LineEvidenceStage> MakeLineEvidence(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuLineEvidence>(std::move(workplace));
}
std::unique_ptr<RidgeStage> MakeRidge(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuRidge>(std::move(workplace));
}

}  // namespace glint::cuda
