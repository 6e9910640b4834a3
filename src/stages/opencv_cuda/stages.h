// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "glint/stages.h"

namespace glint::opencv_cuda {

/// @param small  takes planes with a side under 3, whose borders OpenCV's filters cannot mirror
std::unique_ptr<LumaStatisticsStage> MakeLumaStatistics(int ordinal,
                                                        std::unique_ptr<LumaStatisticsStage> small);
std::unique_ptr<FlowStage> MakeFlow(int ordinal);
std::unique_ptr<EdgeStage> MakeEdges(int ordinal);
std::unique_ptr<MorphologyStage> MakeMorphology(int ordinal);

}  // namespace glint::opencv_cuda
