// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/copy.h"
#include "stages/cuda/kernels/luma_conversion.h"
#include "stages/cuda/kernels/luma_statistics.h"
#include "stages/cuda/kernels/self_test.h"
#include "stages/cuda/launch/entry.cuh"

namespace glint::cuda {

std::span<const Launcher> MeasureLaunchers() {
  static constexpr Launcher kLaunchers[] = {GLINT_MEASURE_KERNELS(GLINT_LAUNCHER_OF)};
  return kLaunchers;
}

}  // namespace glint::cuda
