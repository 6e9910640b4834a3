// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/connected_components.h"

#include <algorithm>

#include "base/host_call.h"
#include "stages/cuda/stages.h"
#include "stages/shared/check_components.h"

namespace glint::cuda {
namespace {

Component ComponentOf(const ComponentSums& sums, Size plane) {
  return {.area = static_cast<std::int64_t>(sums.area),
          .value_sum = static_cast<std::int64_t>(sums.sum),
          .left = plane.width - sums.to_the_right,
          .top = plane.height - sums.below,
          .right = sums.columns - 1,
          .bottom = sums.rows - 1};
}

class GpuConnectedComponents final : public ConnectedComponentsStage {
 public:
  explicit GpuConnectedComponents(std::unique_ptr<StreamContext> context)
      : context_(std::move(context)) {}

  absl::StatusOr<ConnectedComponents> Run(const Plane& mask, const Plane& values) override {
    GLINT_RETURN_IF_ERROR(CheckComponents(mask, values, context_->device()));
    const std::int64_t pixels = mask.size().area();
    ConnectedComponents found;
    Block labels;
    GLINT_ASSIGN_OR_RETURN(found.labels, context_->NewPlane(mask.size(), PixelType::kS32));
    GLINT_ASSIGN_OR_RETURN(labels,
                           context_->Allocate<std::int32_t>(static_cast<std::size_t>(pixels)));
    std::size_t count = 0;
    GLINT_ASSIGN_OR_RETURN(count, Label({.mask = ImageOf<const std::uint8_t>(mask),
                                         .labels = ValuesOf<std::int32_t>(labels)},
                                        pixels));
    std::vector<ComponentSums> sums;
    GLINT_RETURN_IF_ERROR(HostCall("components", [&] {
      sums.resize(count);
      found.components.reserve(count);
    }));
    Block on_gpu;
    GLINT_ASSIGN_OR_RETURN(on_gpu,
                           context_->Allocate<ComponentSums>(std::max<std::size_t>(1, count)));
    const WriteComponentsKernel write{.labels = ValuesOf<const std::int32_t>(labels),
                                      .values = values.empty()
                                                    ? Image<const std::int32_t>()
                                                    : ImageOf<const std::int32_t>(values),
                                      .numbers = ImageOf<std::int32_t>(found.labels),
                                      .sums = ValuesOf<ComponentSums>(on_gpu)};
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      if (count == 0) return context_->stream().Run(write, TilesOf(mask));
      GLINT_RETURN_IF_ERROR(context_->Clear<ComponentSums>(on_gpu, count));
      GLINT_RETURN_IF_ERROR(context_->stream().Run(write, TilesOf(mask)));
      return context_->CopyOut(std::span(sums), on_gpu);
    }));
    std::ranges::transform(sums, std::back_inserter(found.components),
                           [&](const ComponentSums& of) { return ComponentOf(of, mask.size()); });
    return found;
  }

 private:
  static Grid TilesOf(const Plane& plane) { return {.x = Tiles(plane.width(), plane.height())}; }

  /// Labels the pixels with the first one of their component, and those with their numbers.
  /// @return how many components there are
  absl::StatusOr<std::size_t> Label(const LabelledMask& on, std::int64_t pixels) {
    const std::int64_t parts = (pixels + LabelPart::kSize - 1) / LabelPart::kSize;
    Block counts;  // the total, then those of parts
    GLINT_ASSIGN_OR_RETURN(counts,
                           context_->Allocate<std::int32_t>(static_cast<std::size_t>(parts + 1)));
    auto* const total = ValuesOf<std::int32_t>(counts);
    const LabelPart part{.labels = on.labels, .count = pixels};
    const Grid tiles{.x = Tiles(on.mask.width, on.mask.height)};
    Stream& stream = context_->stream();
    std::int32_t count = 0;
    GLINT_RETURN_IF_ERROR(Finish(*context_, [&]() -> absl::Status {
      GLINT_RETURN_IF_ERROR(stream.Run(FindRunsKernel{on}, tiles));
      GLINT_RETURN_IF_ERROR(stream.Run(JoinRunsKernel{on}, tiles));
      GLINT_RETURN_IF_ERROR(
          stream.Run(CountComponentsKernel{.part = part, .counts = total + 1}, {.x = parts}));
      GLINT_RETURN_IF_ERROR(stream.Run(
          SumCountsKernel{.counts = total + 1, .parts = static_cast<int>(parts), .total = total},
          {}));
      GLINT_RETURN_IF_ERROR(
          stream.Run(NumberComponentsKernel{.part = part, .before = total + 1}, {.x = parts}));
      return context_->CopyOut(std::span(&count, 1), counts);
    }));
    return static_cast<std::size_t>(count);
  }

  std::unique_ptr<StreamContext> context_;
};

}  // namespace

std::unique_ptr<ConnectedComponentsStage> MakeConnectedComponents(
    std::unique_ptr<StreamContext> context) {
  return std::make_unique<GpuConnectedComponents>(std::move(context));
}

}  // namespace glint::cuda
