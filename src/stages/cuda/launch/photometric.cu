// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/all.h"
#include "stages/cuda/launch/entry.cuh"

namespace glint::cuda {

Launchers PhotometricLaunchers() {
  static constexpr Launcher kLaunchers[] = {GLINT_PHOTOMETRIC_KERNELS(GLINT_LAUNCHER_OF)};
  return LaunchersIn(kLaunchers);
}

}  // namespace glint::cuda
