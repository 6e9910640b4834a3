// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/connected_components.h"

#include <algorithm>

#include "base/host_call.h"
#include "stages/check_components.h"
#include "stages/cuda/stages.h"

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
  explicit GpuConnectedComponents(std::unique_ptr<Workplace> workplace)
      : at_(std::move(workplace)) {}

  absl::StatusOr<ConnectedComponents> Run(const Plane& mask, const Plane& values) override {
    GLINT_RETURN_IF_FAILED(CheckComponents(mask, values, at_->device()));
    const std::int64_t pixels = mask.size().area();
    ConnectedComponents found;
    Block labels;
    GLINT_TAKE(found.labels, at_->NewPlane(mask.size(), PixelType::kS32));
    GLINT_TAKE(labels, at_->Take<std::int32_t>(static_cast<std::size_t>(pixels)));
    std::size_t count = 0;
    GLINT_TAKE(count, Label({.mask = ImageOf<const std::uint8_t>(mask),
                             .labels = ValuesOf<std::int32_t>(labels)},
                            pixels));
    std::vector<ComponentSums> sums;
    GLINT_RETURN_IF_FAILED(HostCall("components", [&] {
      sums.resize(count);
      found.components.reserve(count);
    }));
    Block on_gpu;
    GLINT_TAKE(on_gpu, at_->Take<ComponentSums>(std::max<std::size_t>(1, count)));
    const WriteComponentsKernel write{.labels = ValuesOf<const std::int32_t>(labels),
                                      .values = values.empty()
                                                    ? Image<const std::int32_t>()
                                                    : ImageOf<const std::int32_t>(values),
                                      .numbers = ImageOf<std::int32_t>(found.labels),
                                      .sums = ValuesOf<ComponentSums>(on_gpu)};
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      if (count == 0) return at_->stream().Run(write, TilesOf(mask));
      GLINT_RETURN_IF_FAILED(at_->Clear<ComponentSums>(on_gpu, count));
      GLINT_RETURN_IF_FAILED(at_->stream().Run(write, TilesOf(mask)));
      return at_->CopyOut(std::span(sums), on_gpu);
    }));
    std::ranges::transform(sums, std::back_inserter(found.components),
                           [&](const ComponentSums& of) { return ComponentOf(of, mask.size()); });
    return found;
  }

 private:
  static Blocks TilesOf(const Plane& plane) {
    return {.across = Tiles(plane.width(), plane.height())};
  }

  /// Labels the pixels with the first one of their component, and those with their numbers.
  /// @return how many components there are
  absl::StatusOr<std::size_t> Label(const LabelledMask& on, std::int64_t pixels) {
    const std::int64_t parts = (pixels + LabelPart::kSize - 1) / LabelPart::kSize;
    Block counts;  // the total, then those of parts
    GLINT_TAKE(counts, at_->Take<std::int32_t>(static_cast<std::size_t>(parts + 1)));
    auto* const total = ValuesOf<std::int32_t>(counts);
    const LabelPart part{.labels = on.labels, .count = pixels};
    const Blocks tiles{.across = Tiles(on.mask.width, on.mask.height)};
    Stream& stream = at_->stream();
    std::int32_t count = 0;
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      GLINT_RETURN_IF_FAILED(stream.Run(FindRunsKernel{on}, tiles));
      GLINT_RETURN_IF_FAILED(stream.Run(JoinRunsKernel{on}, tiles));
      GLINT_RETURN_IF_FAILED(
          stream.Run(CountComponentsKernel{.part = part, .counts = total + 1}, {.across = parts}));
      GLINT_RETURN_IF_FAILED(stream.Run(
          SumCountsKernel{.counts = total + 1, .parts = static_cast<int>(parts), .total = total},
          {}));
      GLINT_RETURN_IF_FAILED(
          stream.Run(NumberComponentsKernel{.part = part, .before = total + 1}, {.across = parts}));
      return at_->CopyOut(std::span(&count, 1), counts);
    }));
    return static_cast<std::size_t>(count);
  }

  std::unique_ptr<Workplace> at_;
};

}  // namespace

std::unique_ptr<ConnectedComponentsStage> MakeConnectedComponents(
    std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuConnectedComponents>(std::move(workplace));
}

}  // namespace glint::cuda
