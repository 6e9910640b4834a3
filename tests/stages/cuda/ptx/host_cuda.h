// SPDX-License-Identifier: Apache-2.0
// A CUDA runtime that is the host's: programs that link it instead of NVIDIA's run the whole CUDA
// backend, from the calls of the runtime down to the kernels as nvcc compiles them, without a GPU.
//
// Kernels are run from their PTX (execute.h). Like the simulated GPU it is strict: work happens
// only while somebody waits for it, device memory can be touched by work only, and copies follow
// the runtime's rules for memory that is pinned and memory that is not. Beyond what a GPU would
// notice it refuses launches and copies that lie outside of allocations, and threads of a block
// that end before a barrier where others wait.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "stages/cuda/ptx/count.h"
#include "stages/cuda/simulated_schedule.h"

namespace glint::cuda::ptx {

/// What it is to do wrong, and what has happened. There is one GPU.
struct HostCuda {
  static HostCuda& Get();

  std::atomic<SimulatedOrder> order = SimulatedOrder::kNeededOnly;
  static constexpr std::size_t kMemory = std::size_t{4} << 30;
  std::atomic<std::size_t> memory = kMemory;  ///< bytes that there are
  std::atomic<bool> no_pinned_memory = false;
  std::atomic<bool> no_graphs = false;          ///< cudaGraphInstantiateWithFlags fails
  std::atomic<bool> no_graph_launches = false;  ///< cudaGraphLaunch does
  std::atomic<int> launches_left = -1;          ///< then one reads an illegal address; -1: never
  std::atomic<bool> reset_mends = true;         ///< whether cudaDeviceReset helps after an error
  std::atomic<int> driver = 13000;              ///< its CUDA version
  /// Where what kernels cost is added, by their names in PTX; null: it is not counted. Threads then
  /// run in their order.
  std::map<std::string, Counts, std::less<>>* counts = nullptr;
  // What has happened.
  std::atomic<int> launches = 0;
  std::atomic<std::size_t> in_use = 0;
  std::atomic<int> pinned_blocks = 0;
  std::atomic<int> streams = 0;
  std::atomic<int> events = 0;
  std::atomic<int> graphs = 0;  ///< executable and other ones
  std::atomic<int> graph_launches = 0;
};

}  // namespace glint::cuda::ptx
