// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "glint/stages.h"

namespace glint {

class ThreadPool;

/// @param pool  must outlive the stage
std::unique_ptr<LumaStatisticsStage> MakeCpuLumaStatistics(ThreadPool* pool);

}  // namespace glint
