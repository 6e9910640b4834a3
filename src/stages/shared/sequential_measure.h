// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "glint/stages.h"

namespace glint {

/// The measuring of a device that is the host: a batch is computed when it is asked for.
std::unique_ptr<MeasureStage> MakeSequentialMeasure(std::unique_ptr<LumaStatisticsStage> statistics,
                                                    std::unique_ptr<FlowStage> flow);

}  // namespace glint
