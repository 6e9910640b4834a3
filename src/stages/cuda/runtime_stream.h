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
const std::array<Launcher, kKernels>& Launchers();

absl::StatusOr<std::unique_ptr<Stream>> MakeRuntimeStream(std::shared_ptr<RuntimeState> state);
absl::StatusOr<std::unique_ptr<Event>> MakeRuntimeEvent(std::shared_ptr<RuntimeState> state);

}  // namespace glint::cuda
