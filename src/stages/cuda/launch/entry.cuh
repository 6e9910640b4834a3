// SPDX-License-Identifier: Apache-2.0
// From a kernel's struct (stages/cuda/kernel.h) to a __global__ function and its launcher.
#pragma once

#include <cuda_runtime_api.h>

#include <type_traits>

#include "stages/cuda/launch/launchers.h"

namespace glint::cuda {

template <class Kernel, int phase>
__device__ void RunPhases(const Kernel& kernel, const Thread& thread,
                          typename Kernel::Shape::Shared& shared,
                          typename Kernel::Shape::Locals& locals) {
  kernel.template Run<phase>(thread, shared, locals);
  if constexpr (phase + 1 < Kernel::Shape::kPhases) {
    __syncthreads();
    RunPhases<Kernel, phase + 1>(kernel, thread, shared, locals);
  }
}

template <class Kernel>
__global__ void __launch_bounds__(Kernel::Shape::kThreads, Kernel::Shape::kBlocksAtOnce)
    Entry(const __grid_constant__ Kernel kernel) {
  __shared__ typename Kernel::Shape::Shared shared;
  typename Kernel::Shape::Locals locals;
  const Thread thread{static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y),
                      static_cast<int>(threadIdx.x)};
  RunPhases<Kernel, 0>(kernel, thread, shared, locals);
}

template <class Kernel>
constexpr Launcher LauncherOf() {
  static_assert(std::is_trivially_copyable_v<Kernel>);
  static_assert(sizeof(Kernel) <= 4096, "arguments that every driver takes");
  return {Kernel::kId, Kernel::Shape::kThreads,
          []() -> const void* { return reinterpret_cast<const void*>(&Entry<Kernel>); },
          [](const void* arguments, Grid grid, void* stream) -> int {
            void* parameters[] = {const_cast<void*>(arguments)};
            const dim3 blocks(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y));
            return cudaLaunchKernel(reinterpret_cast<const void*>(&Entry<Kernel>), blocks,
                                    dim3(Kernel::Shape::kThreads), parameters, 0,
                                    static_cast<cudaStream_t>(stream));
          },
          []() -> int {
            cudaFuncAttributes attributes;
            return cudaFuncGetAttributes(&attributes,
                                         reinterpret_cast<const void*>(&Entry<Kernel>));
          }};
}

template <std::size_t count>
Launchers LaunchersIn(const Launcher (&launchers)[count]) {
  return {launchers, count};
}

/// The launcher of one of kernel_list.h's kernels.
#define GLINT_LAUNCHER_OF(Name) LauncherOf<Name##Kernel>(),

}  // namespace glint::cuda
