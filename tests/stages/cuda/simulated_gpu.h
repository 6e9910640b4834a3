// SPDX-License-Identifier: Apache-2.0
// A GPU that is none: kernels run on the host, thread after thread (stages/cuda/run_on_host.h). All
// of the CUDA backend but the compiler, the driver and the chip is tested on it.
//
// It is as strict as a GPU, and more so:
// - work happens only while somebody waits for it, so that what is read or given back too early
//   shows;
// - device memory cannot be touched by anyone else (a fault), begins with bytes that mean nothing,
//   and ends at a page that nobody may touch;
// - the order of blocks and threads changes from launch to launch;
// - ThreadSanitizer takes its threads for threads (as_threads.h);
// - streams wait for each other only where they were told to, and tests say who comes first.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "stages/cuda/gpu.h"
#include "stages/cuda/simulated_schedule.h"

namespace glint::cuda {

/// What a simulated GPU does wrong, and in which order it works.
struct SimulatedFaults {
  std::atomic<SimulatedOrder> order = SimulatedOrder::kNeededOnly;
  std::atomic<bool> forgets_wait_for = false;  ///< streams never wait for each other
  std::atomic<bool> no_host_memory = false;    ///< AllocateHost fails
  std::atomic<bool> refuses_graphs = false;    ///< InstantiateGraph fails
  std::atomic<bool> refuses_to_run_graphs = false;
  std::size_t memory = std::size_t{1} << 30;  ///< bytes there are
  std::atomic<int> launches_left = -1;        ///< then the GPU is lost; -1: never
  std::atomic<bool> lost = false;
  // What has happened.
  std::atomic<int> launches = 0;  ///< of kernels, those of graphs among them
  std::atomic<int> graphs_tried = 0;
  std::atomic<int> graphs_made = 0;
  std::atomic<int> graph_runs = 0;
  std::atomic<int> waits = 0;
  std::atomic<std::size_t> in_use = 0;
  std::atomic<int> host_blocks = 0;      ///< of AllocateHost, not given back
  std::atomic<int> freed_under_way = 0;  ///< of them, given back while a stream had work
};

/// A new GPU. @param faults  shared with the test; outlives the GPU
std::shared_ptr<Gpu> MakeSimulatedGpu(std::shared_ptr<SimulatedFaults> faults, int ordinal = 0);

}  // namespace glint::cuda
