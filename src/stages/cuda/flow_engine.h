// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <span>

#include "glint/plane.h"
#include "stages/cuda/flow_memory.h"
#include "stages/cuda/session.h"

namespace glint::cuda {

/// Puts the flow's kernels into a workplace's stream. All frames between two calls of Prepare have
/// its size; they must stay until the work is done.
class FlowEngine {
 public:
  /// @param at  outlives the engine; its work is done before that ends
  explicit FlowEngine(Workplace& at) : at_(at) {}

  /// Makes memory for frames of this size and this many pairs at once; for fewer where the GPU has
  /// no more. Waits for the stream where it gives memory back. Errors: those of the GPU
  absl::Status Prepare(Size size, int pairs);

  /// Whether the expansion of the frame that AddLengths was given last is still there.
  bool has_latest() const { return has_latest_; }

  /// The motion that carries one frame onto another, into a kF32x2 plane.
  absl::Status Find(const Plane& previous, const Plane& next, const Plane& field);

  /// Adds the lengths of the motion between consecutive frames: to sums[i], which somebody has
  /// cleared, those of frames[i] to frames[i + 1].
  /// @param goes_on  the frame before frames[0] is the latest (has_latest()), and its motion comes
  /// first
  absl::Status AddLengths(std::span<const Plane> frames, bool goes_on, std::uint64_t* sums);

 private:
  /// What the finest level's last iteration writes.
  struct Output {
    Image<float> field;
    std::uint64_t* lengths;
  };

  absl::Status Expand(std::span<const Plane> frames, int slot);
  absl::Status Estimate(int slot, int pairs, const Output& output);

  Workplace& at_;
  std::optional<FlowMemory> memory_;
  int most_pairs_ = kMostPairs;  ///< that the budget and the GPU allow for this size
  bool has_latest_ = false;
  int latest_slot_ = 0;
};

}  // namespace glint::cuda
