// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>

#include "stages/cuda/kernel.h"

namespace glint::cuda {

/// In which order blocks and threads run on the host. Every order is one that a GPU might take.
struct HostOrder {
  bool last_block_first = false;
  int thread_step = 1;  ///< odd, so that it meets each thread of a block
  int first_thread = 0;
};

/// How what runs side by side on a GPU runs on the host: in kParts parts, by calls of part(0) to
/// part(kParts - 1). Here on the calling thread, all in one.
struct Sequentially {
  static constexpr unsigned kParts = 1;
  template <class Part>
  void operator()(const Part& part) const {
    part(0U);
  }
};

/// Runs a kernel on the host, block after block, in each block phase after phase, in each phase
/// thread after thread. Shared memory and locals begin with bytes that mean nothing, as on a GPU.
/// @param side_by_side  runs the parts of the blocks, and in each phase those of a block's threads
template <class Kernel, class SideBySide = Sequentially>
void RunOnHost(const Kernel& kernel, Grid grid, HostOrder order = {},
               const SideBySide& side_by_side = {}) {
  using Shape = typename Kernel::Shape;
  struct Memory {
    typename Shape::Shared shared;
    typename Shape::Locals locals[Shape::kThreads];
  };
  static_assert((Shape::kThreads & (Shape::kThreads - 1)) == 0);
  // By the golden ratio: neighbours are in different parts, and no distance always meets one part.
  const auto part_of = [](std::int64_t number) {
    const std::uint32_t place = static_cast<std::uint32_t>(number) * 2654435769U;
    return std::uint64_t{place} * SideBySide::kParts >> 32U;
  };
  const auto run = [&]<int phase>(const auto& self, const Thread& block, Memory& memory) -> void {
    side_by_side([&](unsigned part) {
      for (int i = 0; i < Shape::kThreads; ++i) {
        Thread thread = block;
        thread.index = (i * order.thread_step + order.first_thread) & (Shape::kThreads - 1);
        if (part_of(std::int64_t{block.block_x} * Shape::kThreads + thread.index) != part) continue;
        kernel.template Run<phase>(thread, memory.shared, memory.locals[thread.index]);
      }
    });
    if constexpr (phase + 1 < Shape::kPhases) {
      self.template operator()<phase + 1>(self, block, memory);
    }
  };
  side_by_side([&](unsigned part) {
    const auto memory = std::make_unique<Memory>();
    for (int layer = 0; layer < grid.y; ++layer) {
      for (std::int64_t i = 0; i < grid.x; ++i) {
        const std::int64_t block = order.last_block_first ? grid.x - 1 - i : i;
        if (part_of(layer * grid.x + block) != part) continue;
        std::memset(static_cast<void*>(memory.get()), 0xA5, sizeof *memory);
        run.template operator()<0>(run, Thread{static_cast<int>(block), layer, 0}, *memory);
      }
    }
  });
}

}  // namespace glint::cuda
