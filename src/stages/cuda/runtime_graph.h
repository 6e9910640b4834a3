// SPDX-License-Identifier: Apache-2.0
// Graphs of the CUDA runtime. No failure here loses the GPU: if that is lost, the work that is then
// put to the stream part by part fails, too.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>

#include "stages/cuda/captured_work.h"
#include "stages/cuda/gpu.h"
#include "stages/cuda/runtime_state.h"

namespace glint::cuda {

/// A graph of the work. Errors: DEVICE_UNAVAILABLE
absl::StatusOr<std::unique_ptr<Graph>> InstantiateRuntimeGraph(std::shared_ptr<RuntimeState> state,
                                                               const CapturedWork& work);

/// Puts a graph of InstantiateRuntimeGraph into a stream. Errors: DEVICE_UNAVAILABLE
absl::Status LaunchRuntimeGraph(Graph& graph, cudaStream_t stream);

}  // namespace glint::cuda
