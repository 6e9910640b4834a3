// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "stages/cuda/ptx/code.h"
#include "stages/cuda/ptx/execute.h"
#include "stages/cuda/ptx/host_cuda.h"
#include "stages/cuda/simulated_memory.h"
#include "stages/cuda/simulated_schedule.h"

namespace glint::cuda::ptx {

/// Rows of a copy: `bytes` each, `pitch` apart.
struct CopiedRows {
  std::byte* first = nullptr;
  std::size_t pitch = 0;
  std::size_t bytes = 0;
  std::size_t rows = 0;

  std::size_t extent() const { return rows == 0 ? 0 : (rows - 1) * pitch + bytes; }
};

/// What a call of the runtime returns: its own error, or that which the device is left with. Kept
/// for cudaGetLastError().
cudaError_t Reported(cudaError_t error);

/// The GPU behind the runtime on the host: its memory, its kernels, and what went wrong with it.
/// Safe to use from several threads.
class HostDevice {
 public:
  static HostDevice& Get();

  /// Tells which kernel a function of the host stands for.
  void Register(const void* host_function, const char* kernel);
  /// Null for a function that stands for none, or whose PTX is not there.
  const Code* Find(const void* host_function);

  cudaError_t Allocate(std::size_t bytes, void** memory);
  cudaError_t Free(void* memory);
  cudaError_t AllocatePinned(std::size_t bytes, void** memory);
  cudaError_t FreePinned(void* memory);
  bool HoldsDevice(const std::byte* first, std::size_t bytes) const;
  bool HoldsPinned(const std::byte* first, std::size_t bytes) const;

  /// The error that every call reports until the device is reset.
  cudaError_t sticky() const { return sticky_; }
  cudaError_t Reset();

  /// Runs a kernel now; a fault becomes the sticky error.
  void Run(const Code& code, const std::vector<std::byte>& arguments, Grid grid);
  /// Works until the place is reached. @return the sticky error
  cudaError_t RunTo(const Queue::Place& place);

  SimulatedSchedule& schedule() { return schedule_; }

 private:
  HostDevice();

  mutable std::mutex mutex_;
  std::map<const void*, std::string> names_;
  std::map<std::string, Code, std::less<>> kernels_;
  std::map<const std::byte*, std::unique_ptr<std::vector<std::byte>>> pinned_;
  SimulatedMemory memory_;
  SimulatedSchedule schedule_;
  std::atomic<cudaError_t> sticky_ = cudaSuccess;
  std::atomic<unsigned> launch_ = 0;
};

}  // namespace glint::cuda::ptx
