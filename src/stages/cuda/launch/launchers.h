// SPDX-License-Identifier: Apache-2.0
// What the .cu files give to the rest: how each kernel is launched on a GPU. Nothing here needs
// CUDA's headers.
#pragma once

#include <cstddef>

#include "stages/cuda/kernel.h"

namespace glint::cuda {

/// Launches one kernel.
struct Launcher {
  KernelId id;
  int threads;  ///< per block
  /// What the CUDA runtime knows the kernel by, in a graph's nodes.
  const void* (*function)();
  /// Puts the kernel with these arguments into a stream (a cudaStream_t). @return a cudaError_t
  int (*launch)(const void* arguments, Grid grid, void* stream);
  /// Makes the runtime load the kernel's code for the current device. @return a cudaError_t
  int (*load)();
};

/// The launchers of one .cu file.
struct Launchers {
  const Launcher* first;
  std::size_t count;

  const Launcher* begin() const { return first; }
  const Launcher* end() const { return first + count; }
};

/// The kernels of each .cu file; together every KernelId once.
Launchers MeasureLaunchers();
Launchers FlowLaunchers();
Launchers ClassicLaunchers();
Launchers PhotometricLaunchers();

}  // namespace glint::cuda
