// SPDX-License-Identifier: Apache-2.0
// Streams and events of the CUDA runtime.
#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <memory>

#include "stages/cuda/gpu.h"
#include "stages/cuda/launch/launchers.h"
#include "stages/cuda/runtime_state.h"

namespace glint::cuda {

/// How each kernel is launched, by KernelId.
const std::array<Launcher, kKernels>& AllLaunchers();

/// Bytes from one row to the next, as CUDA takes them: a single row may come without.
inline std::size_t PitchOf(const Rows2d& memory, std::size_t row_bytes, int rows) {
  return rows == 1 ? row_bytes : static_cast<std::size_t>(memory.stride);
}

absl::StatusOr<std::unique_ptr<Stream>> MakeRuntimeStream(std::shared_ptr<RuntimeState> state);
absl::StatusOr<std::unique_ptr<Event>> MakeRuntimeEvent(std::shared_ptr<RuntimeState> state);

}  // namespace glint::cuda
