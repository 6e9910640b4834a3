// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric_albedo.h"
#include "stages/cuda/kernels/photometric_lines.h"
#include "stages/cuda/kernels/photometric_residual.h"
#include "stages/cuda/kernels/photometric_ridge.h"
#include "stages/cuda/launch/entry.cuh"

namespace glint::cuda {

std::span<const Launcher> PhotometricLaunchers() {
  static constexpr Launcher kLaunchers[] = {GLINT_PHOTOMETRIC_KERNELS(GLINT_LAUNCHER_OF)};
  return kLaunchers;
}

}  // namespace glint::cuda
