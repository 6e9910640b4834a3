// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "stages/cuda/kernel.h"

namespace glint::cuda {

/// In which order blocks and threads run on the host. Every order is one that a GPU might take.
struct HostOrder {
  bool last_block_first = false;
  int thread_step = 1;  ///< odd, so that it meets each thread of a block
  int first_thread = 0;
};

/// Runs a kernel on the host, block after block, in each block phase after phase, in each phase
/// thread after thread. Shared memory and locals begin with bytes that mean nothing, as on a GPU.
template <class Kernel>
void RunOnHost(const Kernel& kernel, Blocks blocks, HostOrder order = {}) {
  using Shape = typename Kernel::Shape;
  struct Memory {
    typename Shape::Shared shared;
    typename Shape::Locals locals[Shape::kThreads];
  };
  static_assert((Shape::kThreads & (Shape::kThreads - 1)) == 0);
  const auto memory = std::make_unique<Memory>();
  const auto run = [&]<int phase>(const auto& self, Thread at) -> void {
    for (int i = 0; i < Shape::kThreads; ++i) {
      at.index = (i * order.thread_step + order.first_thread) & (Shape::kThreads - 1);
      kernel.template Run<phase>(at, memory->shared, memory->locals[at.index]);
    }
    if constexpr (phase + 1 < Shape::kPhases) self.template operator()<phase + 1>(self, at);
  };
  for (int layer = 0; layer < blocks.layers; ++layer) {
    for (std::int64_t block = 0; block < blocks.across; ++block) {
      std::memset(static_cast<void*>(memory.get()), 0xA5, sizeof *memory);
      const std::int64_t chosen = order.last_block_first ? blocks.across - 1 - block : block;
      run.template operator()<0>(run, Thread{static_cast<int>(chosen), layer, 0});
    }
  }
}

}  // namespace glint::cuda
