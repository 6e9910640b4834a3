// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/all.h"
#include "stages/cuda/launch/entry.cuh"

namespace glint::cuda {

Launchers FlowLaunchers() {
  static constexpr Launcher kLaunchers[] = {GLINT_FLOW_KERNELS(GLINT_LAUNCHER_OF)};
  return LaunchersIn(kLaunchers);
}

}  // namespace glint::cuda
