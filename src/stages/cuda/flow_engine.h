// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <span>

#include "glint/plane.h"
#include "stages/cuda/context.h"
#include "stages/cuda/flow_memory.h"

namespace glint::cuda {

/// Puts the flow's kernels to work. All frames between two calls of Prepare have its size; they
/// must stay until the work is done.
class FlowEngine {
 public:
  /// @param at  outlives the engine. What the engine's work is put to ends up in its stream, in the
  /// order of the calls, and is done before that ends
  explicit FlowEngine(StreamContext& context) : context_(context) {}

  /// Makes memory for frames of this size and this many pairs at once; for fewer where the GPU has
  /// no more. Waits for the stream where it gives memory back. Errors: those of the GPU
  absl::Status Prepare(Size size, int pairs);

  /// Whether the expansion of the frame that AddLengths was given last is still there.
  bool has_latest() const { return has_latest_; }

  /// The motion that carries one frame onto another, into a kF32x2 plane.
  absl::Status Find(WorkSink& to, const Plane& previous, const Plane& next, const Plane& field);

  /// Adds the lengths of the motion between consecutive frames: to sums[i], which somebody has
  /// cleared, those of frames[i] to frames[i + 1].
  /// @param goes_on  the frame before frames[0] is the latest (has_latest()), and its motion comes
  /// first
  absl::Status AddLengths(WorkSink& to, std::span<const Plane> frames, bool goes_on,
                          std::uint64_t* sums);

 private:
  /// What the finest level's last iteration writes.
  struct Output {
    Image<float> field;
    std::uint64_t* lengths;
  };

  absl::Status Expand(WorkSink& to, std::span<const Plane> frames, const SlotRing& slots);
  absl::Status Estimate(WorkSink& to, const SlotRing& slots, int pairs, const Output& output);

  StreamContext& context_;
  std::optional<FlowMemory> memory_;
  int most_pairs_ = kMaxPairs;  ///< that the budget and the GPU allow for this size
  bool has_latest_ = false;
  int latest_slot_ = 0;
  bool backwards_ = false;  ///< through the slots, for the frames that come next
};

}  // namespace glint::cuda
