// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/runtime_state.h"

#include <fmt/format.h>

#include "glint/error.h"

namespace glint::cuda {

std::string Words(cudaError_t error) {
  return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
}

absl::Status RuntimeState::Check(int code, std::string_view call) {
  if (code == cudaSuccess) return absl::OkStatus();
  const auto error = static_cast<cudaError_t>(code);
  const std::string message = fmt::format("GPU {}: {}: {}", ordinal_, call, Words(error));
  if (error == cudaErrorMemoryAllocation) {
    // So that no later call reports it.
    [[maybe_unused]] const CudaError reported = Tried(cudaGetLastError());
    return Error(Reason::kOutOfMemory, message);
  }
  lost_ = true;
  return Error(Reason::kDeviceUnavailable, message);
}

}  // namespace glint::cuda
