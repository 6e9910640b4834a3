// SPDX-License-Identifier: Apache-2.0
#include "stages/cuda/kernels/canny.h"
#include "stages/cuda/kernels/classic.h"
#include "stages/cuda/kernels/connected_components.h"
#include "stages/cuda/kernels/van_herk.h"
#include "stages/cuda/launch/entry.cuh"

namespace glint::cuda {

std::span<const Launcher> ClassicLaunchers() {
  static constexpr Launcher kLaunchers[] = {
      LauncherOf<CannyClassesKernel>(),     LauncherOf<CannyJoinKernel>(),
      LauncherOf<CannyReachKernel>(),       LauncherOf<CannyWriteKernel>(),
      LauncherOf<FindRunsKernel>(),         LauncherOf<JoinRunsKernel>(),
      LauncherOf<CountComponentsKernel>(),  LauncherOf<SumCountsKernel>(),
      LauncherOf<NumberComponentsKernel>(), LauncherOf<WriteComponentsKernel>(),
      LauncherOf<MorphologyPassKernel>(),   LauncherOf<VanHerkKernel>(),
      LauncherOf<DifferenceKernel>(),       LauncherOf<WarpKernel>(),
      LauncherOf<DetailKernel>(),           LauncherOf<FusionMaximaKernel>(),
      LauncherOf<FusionScoreKernel>(),      LauncherOf<ScoreSumsKernel>(),
      LauncherOf<ScoreMaskKernel>()};
  return kLaunchers;
}

}  // namespace glint::cuda
