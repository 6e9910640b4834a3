// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/photometric_artwork.h"
#include "stages/cuda/kernels/photometric_lines.h"
#include "stages/cuda/kernels/photometric_residual.h"
#include "stages/cuda/kernels/photometric_ridge.h"
#include "stages/cuda/launch/entry.cuh"

namespace glint::cuda {

std::span<const Launcher> PhotometricLaunchers() {
  static constexpr Launcher kLaunchers[] = {
      LauncherOf<SmoothViewsKernel>(),   LauncherOf<MedianOfViewsKernel>(),
      LauncherOf<ArtworkSlopesKernel>(), LauncherOf<LargestAroundKernel>(),
      LauncherOf<PrepareModelKernel>(),  LauncherOf<FitViewsKernel>(),
      LauncherOf<TakeOutCurveKernel>(),  LauncherOf<KeepResidualsKernel>(),
      LauncherOf<ScaleOfNoiseKernel>(),  LauncherOf<ViewUnitsKernel>(),
      LauncherOf<AddCalmedKernel>(),     LauncherOf<RootMeansKernel>(),
      LauncherOf<SmoothGroupsKernel>(),  LauncherOf<FindLinesKernel>(),
      LauncherOf<MarkRidgesKernel>()};
  return kLaunchers;
}

}  // namespace glint::cuda
