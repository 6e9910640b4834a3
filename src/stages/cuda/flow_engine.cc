// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/flow_engine.h"

#include <algorithm>
#include <utility>

#include "glint/error.h"
#include "stages/shared/farneback/parameters.h"

namespace glint::cuda {
namespace {

constexpr int kFinal = (farneback::kIterations - 1) % 2;  // of FlowMemory::Level::flow

}  // namespace

absl::Status FlowEngine::Prepare(Size size, int pairs) {
  pairs = std::min(pairs, kMaxPairs);
  if (memory_ && memory_->size == size && memory_->pairs >= std::min(pairs, most_pairs_)) {
    return absl::OkStatus();
  }
  has_latest_ = false;
  if (!memory_ || memory_->size != size) most_pairs_ = kMaxPairs;
  if (memory_) GLINT_RETURN_IF_ERROR(context_.stream().Wait());
  memory_.reset();
  const farneback::Geometry geometry(size);
  most_pairs_ = std::min(most_pairs_, PlanPairs(geometry, context_.pool().budget()));
  for (int count = std::min(pairs, most_pairs_);; count /= 2) {
    auto memory = FlowMemory::Make(context_, geometry, count);
    if (memory.ok()) {
      memory_ = *std::move(memory);
      return absl::OkStatus();
    }
    if (ReasonOf(memory.status()) != Reason::kOutOfMemory || count == 1) return memory.status();
    most_pairs_ = count / 2;
  }
}

absl::Status FlowEngine::Find(WorkSink& to, const Plane& previous, const Plane& next,
                              const Plane& field) {
  has_latest_ = false;
  const SlotRing slots{.count = memory_->slots};
  GLINT_RETURN_IF_ERROR(Expand(to, {&previous, 1}, slots));
  GLINT_RETURN_IF_ERROR(Expand(to, {&next, 1}, slots.From(1)));
  return Estimate(to, slots, 1, {.field = ImageOf<float>(field), .lengths = nullptr});
}

absl::Status FlowEngine::AddLengths(WorkSink& to, std::span<const Plane> frames, bool goes_on,
                                    std::uint64_t* sums) {
  has_latest_ = false;  // nothing is there after a failure
  // Every other call goes back through the slots: with as many frames as the one before it, it ends
  // where that began. So calls of one length take two turns, which can be graphs (GraphCache).
  SlotRing slots{.first = goes_on ? latest_slot_ : 0,
                 .step = std::exchange(backwards_, !backwards_) ? memory_->slots - 1 : 1,
                 .count = memory_->slots};
  if (!goes_on) {
    GLINT_RETURN_IF_ERROR(Expand(to, frames.first(1), slots));
    frames = frames.subspan(1);
  }
  while (!frames.empty()) {
    const auto count = std::min<std::size_t>(memory_->pairs, frames.size());
    const auto pairs = static_cast<int>(count);
    GLINT_RETURN_IF_ERROR(Expand(to, frames.first(count), slots.From(1)));
    GLINT_RETURN_IF_ERROR(Estimate(to, slots, pairs, {.field = {}, .lengths = sums}));
    slots = slots.From(pairs);
    sums += count;
    frames = frames.subspan(count);
  }
  latest_slot_ = slots.first;
  has_latest_ = true;
  return absl::OkStatus();
}

/// Expands frames into their slots.
absl::Status FlowEngine::Expand(WorkSink& to, std::span<const Plane> frames,
                                const SlotRing& slots) {
  const auto& [smooth, slope, curvature] = farneback::Kernels();
  const auto layers = static_cast<int>(frames.size());
  for (const FlowMemory::Level& level : memory_->levels) {
    ReduceLevelKernel reduce{
        .frames = {}, .level = level.shape, .out = ValuesOf<float>(level.images)};
    for (std::size_t i = 0; i < frames.size(); ++i) {
      reduce.frames[i] = ImageOf<const std::uint8_t>(frames[i]);
    }
    if (level.images != nullptr) {
      GLINT_RETURN_IF_ERROR(
          to.Run(reduce, {.x = Tiles(level.shape.width, level.shape.height), .y = layers}));
    }
    ExpandPolynomialsKernel expand{.frames = {},
                                   .images = ValuesOf<const float>(level.images),
                                   .level = level.shape,
                                   .smooth = {},
                                   .slope = {},
                                   .curvature = {},
                                   .expansions = ValuesOf<float>(level.expansions),
                                   .slots = slots};
    std::ranges::copy(reduce.frames, expand.frames);
    std::ranges::copy(smooth, expand.smooth);
    std::ranges::copy(slope, expand.slope);
    std::ranges::copy(curvature, expand.curvature);
    constexpr int kTile = ExpandPolynomialsKernel::kTile;
    GLINT_RETURN_IF_ERROR(to.Run(
        expand, {.x = Tiles(level.shape.width, level.shape.height, kTile, kTile), .y = layers}));
  }
  return absl::OkStatus();
}

/// The flow of `pairs` pairs of frames in these slots, coarsest level first.
absl::Status FlowEngine::Estimate(WorkSink& to, const SlotRing& slots, int pairs,
                                  const Output& output) {
  constexpr int kTile = IterateFlowKernel::kTile;
  const FlowMemory::Level* coarser = nullptr;
  for (std::size_t k = memory_->levels.size(); k-- > 0;) {
    const FlowMemory::Level& level = memory_->levels[k];
    for (int i = 0; i < farneback::kIterations; ++i) {
      const bool last = k == 0 && i + 1 == farneback::kIterations;
      IterateFlowKernel kernel{.level = level.shape,
                               .expansions = ValuesOf<const float>(level.expansions),
                               .slots = slots};
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
      GLINT_RETURN_IF_ERROR(to.Run(
          kernel, {.x = Tiles(level.shape.width, level.shape.height, kTile, kTile), .y = pairs}));
    }
    coarser = &level;
  }
  return absl::OkStatus();
}

}  // namespace glint::cuda
