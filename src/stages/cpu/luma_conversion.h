// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "glint/stages.h"

namespace glint {

class ThreadPool;

/// @param pool  shares the rows; must outlive the stage
std::unique_ptr<LumaConversionStage> MakeCpuLumaConversion(ThreadPool* pool);

}  // namespace glint
