// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "stages/cuda/context.h"
#include "stages/cuda/kernels/flow.h"
#include "stages/shared/farneback/geometry.h"

namespace glint::cuda {

/// Pairs of frames whose flow is found together, at most.
inline constexpr int kMaxPairs = kMaxImages;

/// Bytes on the GPU that the flow of `pairs` pairs at once takes, without the frames.
std::size_t FlowBytes(const farneback::Geometry& geometry, int pairs);

/// How many pairs at once (1..kMaxPairs, a power of two) fit into a share of a memory budget.
int PlanPairs(const farneback::Geometry& geometry, std::size_t budget);

/// The GPU's memory for frames of one size.
struct FlowMemory {
  struct Level {
    FlowLevel shape;   ///< with its tables on the GPU
    Block expansions;  ///< `slots` slots
    Block images;      ///< of a coarser level: one per frame
    Block flow[2];     ///< per pair
  };

  /// Allocates, and copies the tables. Errors: those of MemoryPool::Allocate and Stream
  static absl::StatusOr<FlowMemory> Make(StreamContext& context,
                                         const farneback::Geometry& geometry, int pairs);

  Size size;
  int pairs = 0;
  int slots = 0;  ///< pairs + 1: the frames of so many pairs in a row
  std::vector<Level> levels;
  Block tables;
};

}  // namespace glint::cuda
