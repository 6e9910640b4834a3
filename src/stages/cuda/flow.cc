// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <vector>

#include "glint/error.h"
#include "stages/check_plane.h"
#include "stages/cpu/farneback/parameters.h"
#include "stages/cuda/flow_memory.h"
#include "stages/cuda/stages.h"
#include "stages/flow_length.h"

namespace glint::cuda {
namespace {

constexpr int kMinSide = 16;

class GpuFlow final : public FlowStage {
 public:
  explicit GpuFlow(std::unique_ptr<Workplace> workplace) : at_(std::move(workplace)) {}

  absl::StatusOr<Plane> Field(const Plane& previous, const Plane& next) override {
    const Plane both[] = {previous, next};
    GLINT_RETURN_IF_FAILED(Check(both));
    GLINT_RETURN_IF_FAILED(Prepare(previous.size(), 1));
    Plane field;
    GLINT_TAKE(field, at_->NewPlane(previous.size(), PixelType::kF32x2));
    latest_ = Plane();
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      GLINT_RETURN_IF_FAILED(Expand({&previous, 1}, 0));
      GLINT_RETURN_IF_FAILED(Expand({&next, 1}, 1));
      return Estimate(0, 1, {.field = ImageOf<float>(field), .lengths = nullptr});
    }));
    return field;
  }

  absl::Status MeanLengths(std::span<const Plane> frames, std::span<double> out) override {
    GLINT_RETURN_IF_FAILED(Check(frames));
    if (frames.size() < 2) {
      return Error(Reason::kInvalidOption, "flow: mean lengths need at least two frames");
    }
    GLINT_RETURN_IF_FAILED(CheckCount("flow: frames", frames.size(), out.size() + 1));
    const Size size = frames.front().size();
    GLINT_RETURN_IF_FAILED(
        Prepare(size, static_cast<int>(std::min<std::size_t>(out.size(), kMostPairs))));
    std::vector<std::uint64_t> sums(out.size());
    Block lengths;
    GLINT_TAKE(lengths, at_->Take<std::uint64_t>(sums.size()));
    const bool known = !latest_.empty() && latest_.data() == frames.front().data();
    if (!known) latest_slot_ = 0;
    latest_ = Plane();  // of no use after a failure
    int slot = latest_slot_;
    GLINT_RETURN_IF_FAILED(Finish(*at_, [&]() -> absl::Status {
      GLINT_RETURN_IF_FAILED(at_->Clear<std::uint64_t>(lengths, sums.size()));
      if (!known) GLINT_RETURN_IF_FAILED(Expand(frames.first(1), slot));
      for (std::size_t done = 0; done < sums.size();) {
        const auto count = std::min<std::size_t>(memory_->pairs, sums.size() - done);
        GLINT_RETURN_IF_FAILED(Expand(frames.subspan(done + 1, count), slot + 1));
        GLINT_RETURN_IF_FAILED(
            Estimate(slot, static_cast<int>(count),
                     {.field = {}, .lengths = ValuesOf<std::uint64_t>(lengths) + done}));
        slot = (slot + static_cast<int>(count)) % memory_->slots;
        done += count;
      }
      return at_->CopyOut(std::span(sums), lengths);
    }));
    // The next call mostly begins with this frame: its expansion is kept.
    latest_ = frames.back();
    latest_slot_ = slot;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      out[i] = MeanOfQuantisedLengths(static_cast<std::int64_t>(sums[i]), size.area());
    }
    return absl::OkStatus();
  }

 private:
  /// What the finest level's last iteration writes.
  struct Output {
    Image<float> field;
    std::uint64_t* lengths;
  };

  absl::Status Check(std::span<const Plane> frames) const {
    return CheckPlanes("flow: frame", frames, PixelType::kU8, at_->device(), kMinSide);
  }

  /// Makes memory for frames of this size and this many pairs at once; for fewer where the GPU has
  /// no more.
  absl::Status Prepare(Size size, int pairs) {
    if (memory_ && memory_->size == size && memory_->pairs >= std::min(pairs, most_pairs_)) {
      return absl::OkStatus();
    }
    latest_ = Plane();
    if (!memory_ || memory_->size != size) most_pairs_ = kMostPairs;
    memory_.reset();
    const farneback::Geometry geometry(size);
    most_pairs_ = std::min(most_pairs_, PlanPairs(geometry, at_->pool().budget()));
    for (int count = std::min(pairs, most_pairs_);; count /= 2) {
      auto memory = FlowMemory::Make(*at_, geometry, count);
      if (memory.ok()) {
        memory_ = *std::move(memory);
        return absl::OkStatus();
      }
      if (ReasonOf(memory.status()) != Reason::kOutOfMemory || count == 1) return memory.status();
      most_pairs_ = count / 2;
    }
  }

  /// Expands frames into slots from `slot` on.
  absl::Status Expand(std::span<const Plane> frames, int slot) {
    const auto& [smooth, slope, curvature] = farneback::Kernels();
    const auto layers = static_cast<int>(frames.size());
    for (const FlowMemory::Level& level : memory_->levels) {
      ReduceLevelKernel reduce{
          .frames = {}, .level = level.shape, .out = ValuesOf<float>(level.images)};
      for (std::size_t i = 0; i < frames.size(); ++i) {
        reduce.frames[i] = ImageOf<const std::uint8_t>(frames[i]);
      }
      if (level.images != nullptr) {
        GLINT_RETURN_IF_FAILED(at_->stream().Run(
            reduce, {.across = Tiles(level.shape.width, level.shape.height), .layers = layers}));
      }
      ExpandPolynomialsKernel expand{.frames = {},
                                     .images = ValuesOf<const float>(level.images),
                                     .level = level.shape,
                                     .smooth = {},
                                     .slope = {},
                                     .curvature = {},
                                     .expansions = ValuesOf<float>(level.expansions),
                                     .first_slot = slot,
                                     .slots = memory_->slots};
      std::ranges::copy(reduce.frames, expand.frames);
      std::ranges::copy(smooth, expand.smooth);
      std::ranges::copy(slope, expand.slope);
      std::ranges::copy(curvature, expand.curvature);
      constexpr int kTile = ExpandPolynomialsKernel::kTile;
      GLINT_RETURN_IF_FAILED(at_->stream().Run(
          expand, {.across = Tiles(level.shape.width, level.shape.height, kTile, kTile),
                   .layers = layers}));
    }
    return absl::OkStatus();
  }

  /// The flow of `pairs` pairs whose first frame is in slot `slot`, coarsest level first.
  absl::Status Estimate(int slot, int pairs, const Output& output) {
    constexpr int kTile = IterateFlowKernel::kTile;
    const FlowMemory::Level* coarser = nullptr;
    for (std::size_t k = memory_->levels.size(); k-- > 0;) {
      const FlowMemory::Level& level = memory_->levels[k];
      for (int i = 0; i < farneback::kIterations; ++i) {
        const bool last = k == 0 && i + 1 == farneback::kIterations;
        IterateFlowKernel kernel{.level = level.shape,
                                 .expansions = ValuesOf<const float>(level.expansions),
                                 .first_slot = slot,
                                 .slots = memory_->slots};
        if (i > 0) kernel.flow_in = ValuesOf<const float>(level.flow[(i - 1) % 2]);
        if (coarser != nullptr) {
          kernel.coarser_flow = ValuesOf<const float>(coarser->flow[kFinal]);
          kernel.coarser_pitch = coarser->shape.pitch;
          kernel.coarser_plane = coarser->shape.PlaneFloats();
        }
        if (last) {
          kernel.field = output.field;
          kernel.lengths = output.lengths;
        } else {
          kernel.flow_out = ValuesOf<float>(level.flow[i % 2]);
        }
        GLINT_RETURN_IF_FAILED(at_->stream().Run(
            kernel, {.across = Tiles(level.shape.width, level.shape.height, kTile, kTile),
                     .layers = pairs}));
      }
      coarser = &level;
    }
    return absl::OkStatus();
  }

  static constexpr int kFinal = (farneback::kIterations - 1) % 2;  ///< of FlowMemory::Level::flow

  std::unique_ptr<Workplace> at_;
  std::optional<FlowMemory> memory_;
  int most_pairs_ = kMostPairs;  ///< that the budget and the GPU allow for this size
  Plane latest_;                 ///< the last frame given, whose expansion is in its slot
  int latest_slot_ = 0;
};

}  // namespace

std::unique_ptr<FlowStage> MakeFlow(std::unique_ptr<Workplace> workplace) {
  return std::make_unique<GpuFlow>(std::move(workplace));
}

}  // namespace glint::cuda
