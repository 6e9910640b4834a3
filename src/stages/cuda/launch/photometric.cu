// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric_albedo.h"
#include "stages/cuda/kernels/photometric_lines.h"
#include "stages/cuda/kernels/photometric_residual.h"
#include "stages/cuda/kernels/photometric_ridge.h"
#include "stages/cuda/launch/entry.cuh"

namespace glint::cuda {

std::span<const Launcher> PhotometricLaunchers() {
  static constexpr Launcher kLaunchers[] = {
      LauncherOf<SmoothViewsKernel>(),       LauncherOf<MedianOfViewsKernel>(),
      LauncherOf<AlbedoDerivativesKernel>(), LauncherOf<MaxFilterKernel>(),
      LauncherOf<PrepareModelKernel>(),      LauncherOf<FitViewsKernel>(),
      LauncherOf<RemoveToneCurveKernel>(),   LauncherOf<StoreResidualsKernel>(),
      LauncherOf<NoiseScaleKernel>(),        LauncherOf<NormaliseResidualsKernel>(),
      LauncherOf<AccumulateGroupsKernel>(),  LauncherOf<ScaleGroupSumsKernel>(),
      LauncherOf<SmoothGroupsKernel>(),      LauncherOf<LineFilterKernel>(),
      LauncherOf<SuppressNonMaximaKernel>()};
  return kLaunchers;
}

}  // namespace glint::cuda
