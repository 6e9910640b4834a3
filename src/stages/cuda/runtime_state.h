// SPDX-License-Identifier: Apache-2.0
// How calls of the CUDA runtime are checked. Every one stands inside Check() or Tried(), whose
// results cannot be dropped; scripts/check_cuda_calls.py looks for calls that do not.
#pragma once

#include <absl/status/status.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <string>
#include <string_view>

#include "stages/cuda/runtime.h"

namespace glint::cuda {

/// The error of a call, for those who decide about it themselves.
[[nodiscard]] inline CudaError Tried(int error) { return static_cast<CudaError>(error); }

/// CUDA's words and name for an error.
std::string Words(cudaError_t error);

/// The state of one GPU that its streams share.
class RuntimeState {
 public:
  explicit RuntimeState(int ordinal) : ordinal_(ordinal) {}

  /// A failure of the call, with what it says; anything but a lack of memory loses the GPU.
  [[nodiscard]] absl::Status Check(int code, std::string_view call);

  /// Makes this GPU the calling thread's.
  [[nodiscard]] absl::Status Enter() { return Check(cudaSetDevice(ordinal_), "cudaSetDevice"); }

  bool lost() const { return lost_; }

 private:
  const int ordinal_;
  std::atomic<bool> lost_ = false;
};

}  // namespace glint::cuda
