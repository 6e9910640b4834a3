// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric_lines.h"

#include <algorithm>
#include <array>

#include "base/params.h"
#include "stages/cuda/photometric_views.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_views.h"

namespace glint::cuda {
namespace {

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
  absl::Status Allocate(StreamContext& context, const ViewsOnGpu& views, int groups) {
    const std::size_t all = views.pixels * views.list.size();
    group_values = views.pixels * static_cast<std::size_t>(groups);
    GLINT_ASSIGN_OR_RETURN(residuals,
                           context.Allocate<Image<const std::int16_t>>(views.list.size()));
    GLINT_ASSIGN_OR_RETURN(scale, context.Allocate<float>(views.pixels));
    GLINT_ASSIGN_OR_RETURN(rest, context.Allocate<std::int16_t>(all));
    GLINT_ASSIGN_OR_RETURN(seen, context.Allocate<std::uint8_t>(all));
    GLINT_ASSIGN_OR_RETURN(sums, context.Allocate<std::int16_t>(group_values));
    GLINT_ASSIGN_OR_RETURN(counts, context.Allocate<std::uint8_t>(group_values));
    GLINT_ASSIGN_OR_RETURN(smooth, context.Allocate<std::int16_t>(group_values));
    GLINT_ASSIGN_OR_RETURN(root_weights, context.Allocate<std::int32_t>(256));
    return absl::OkStatus();
  }

  std::size_t group_values = 0;
  Block residuals, scale, rest, seen, sums, counts, smooth, root_weights;
};

class GpuLineEvidence final : public LineEvidenceStage {
 public:
  explicit GpuLineEvidence(std::unique_ptr<StreamContext> context)
      : context_(std::move(context)), root_weights_(RootWeights()), taps_(TapTable()) {}

  absl::StatusOr<LineEvidence> Run(const PhotometricViews& views,
                                   std::span<const StoredPlane> residuals, const Albedo& albedo,
                                   const NoiseModel& noise,
                                   const LineEvidenceParams& params) override {
    GLINT_RETURN_IF_ERROR(CheckParams(params));
    constexpr std::string_view kWhere = "line evidence";
    const Size size = views.surface.size();
    GLINT_RETURN_IF_ERROR(photometric::CheckViews(kWhere, views, context_->device()));
    GLINT_RETURN_IF_ERROR(
        photometric::CheckResiduals(kWhere, views, residuals, context_->device()));
    GLINT_RETURN_IF_ERROR(photometric::CheckAlbedo(kWhere, albedo, size, context_->device()));
    GLINT_RETURN_IF_ERROR(photometric::CheckNoise(kWhere, noise));
    ViewsOnGpu on_gpu(views);
    const Grouping grouping{.views = on_gpu.count,
                            .groups = std::min(params.max_groups, on_gpu.count)};
    LineMemory memory;
    GLINT_RETURN_IF_ERROR(on_gpu.Allocate(*context_));
    GLINT_RETURN_IF_ERROR(memory.Allocate(*context_, on_gpu, grouping.groups));
    LineEvidence evidence;
    GLINT_ASSIGN_OR_RETURN(evidence.energy, context_->NewPlane(size, PixelType::kS32));
    GLINT_ASSIGN_OR_RETURN(evidence.direction, context_->NewPlane(size, PixelType::kU8));
    GLINT_ASSIGN_OR_RETURN(evidence.point, context_->NewPlane(size, PixelType::kS32));
    const auto inputs = ImagesOf<const std::int16_t>(residuals);
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(on_gpu.CopyIn(*context_));
      GLINT_RETURN_IF_ERROR(
          context_->CopyIn(memory.residuals, std::span<const Image<const std::int16_t>>(inputs)));
      GLINT_RETURN_IF_ERROR(WriteUnits(on_gpu, albedo, noise, params, memory));
      GLINT_RETURN_IF_ERROR(Average(on_gpu, grouping, params, memory));
      return context_->stream().Run(
          LineFilterKernel{.views = on_gpu.views(),
                           .grouping = grouping,
                           .min_views = params.min_views,
                           .groups = ValuesOf<const std::int16_t>(memory.smooth),
                           .taps = taps_,
                           .counts = ImageOf<const std::uint8_t>(albedo.count),
                           .energy = ImageOf<std::int32_t>(evidence.energy),
                           .point = ImageOf<std::int32_t>(evidence.point),
                           .direction = ImageOf<std::uint8_t>(evidence.direction)},
          on_gpu.GridOf(1));
    }));
    return evidence;
  }

 private:
  absl::Status WriteUnits(const ViewsOnGpu& on_gpu, const Albedo& albedo, const NoiseModel& noise,
                          const LineEvidenceParams& params, const LineMemory& memory) {
    auto* scale = ValuesOf<float>(memory.scale);
    GLINT_RETURN_IF_ERROR(context_->stream().Run(
        NoiseScaleKernel{.gradient = ImageOf<const std::int32_t>(albedo.gradient),
                         .curvature = ImageOf<const std::int32_t>(albedo.curvature),
                         .noise = noise,
                         .scale = scale},
        on_gpu.GridOf(1)));
    return context_->stream().Run(
        NormaliseResidualsKernel{
            .views = on_gpu.views(),
            .surface = on_gpu.surface,
            .residuals = ValuesOf<const Image<const std::int16_t>>(memory.residuals),
            .scale = scale,
            .max_residual_sigmas = params.max_residual_sigmas,
            .rest = ValuesOf<std::int16_t>(memory.rest),
            .seen = ValuesOf<std::uint8_t>(memory.seen)},
        on_gpu.GridOf(on_gpu.count));
  }

  absl::Status Average(const ViewsOnGpu& on_gpu, const Grouping& grouping,
                       const LineEvidenceParams& params, const LineMemory& memory) {
    const Grid grid = on_gpu.GridOf(grouping.groups);
    auto* sums = ValuesOf<std::int16_t>(memory.sums);
    auto* counts = ValuesOf<std::uint8_t>(memory.counts);
    GLINT_RETURN_IF_ERROR(context_->Clear<std::int16_t>(memory.sums, memory.group_values));
    GLINT_RETURN_IF_ERROR(context_->Clear<std::uint8_t>(memory.counts, memory.group_values));
    GLINT_RETURN_IF_ERROR(
        context_->CopyIn(memory.root_weights, std::span<const std::int32_t>(root_weights_)));
    const int most = grouping.Begin(1);  // views of the first group, which has the most
    for (int index = 0; index < most; ++index) {
      GLINT_RETURN_IF_ERROR(context_->stream().Run(
          AccumulateGroupsKernel{.width = on_gpu.size.width,
                                 .height = on_gpu.size.height,
                                 .grouping = grouping,
                                 .params = params,
                                 .index = index,
                                 .rest = ValuesOf<const std::int16_t>(memory.rest),
                                 .seen = ValuesOf<const std::uint8_t>(memory.seen),
                                 .sums = sums,
                                 .counts = counts},
          grid));
    }
    GLINT_RETURN_IF_ERROR(context_->stream().Run(
        ScaleGroupSumsKernel{.width = on_gpu.size.width,
                             .height = on_gpu.size.height,
                             .sums = sums,
                             .counts = counts,
                             .root_weights = ValuesOf<const std::int32_t>(memory.root_weights)},
        grid));
    return context_->stream().Run(SmoothGroupsKernel{.width = on_gpu.size.width,
                                                     .height = on_gpu.size.height,
                                                     .means = sums,
                                                     .out = ValuesOf<std::int16_t>(memory.smooth)},
                                  grid);
  }

  std::unique_ptr<StreamContext> context_;
  std::array<std::int32_t, 256> root_weights_;
  LineTapTable taps_;
};

}  // namespace

GLINT_DEFINE_GPU_STAGE(LineEvidence, GpuLineEvidence)

}  // namespace glint::cuda
