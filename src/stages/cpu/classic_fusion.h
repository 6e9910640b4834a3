// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/thread_pool.h"
#include "glint/stages.h"

namespace glint {

/// The fusion of `classic` in two passes over the rows: maxima, then scores. Takes 1 to
/// classic::kMaxPictures pictures.
/// @param pool  shares the rows; must outlive the stage
std::unique_ptr<ClassicFusionStage> MakeCpuClassicFusion(ThreadPool* pool);

}  // namespace glint
