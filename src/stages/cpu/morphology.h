// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/thread_pool.h"
#include "glint/stages.h"

namespace glint {

/// Morphology by OpenCV, which is exact (minima and maxima) and fast; on the calling thread.
std::unique_ptr<MorphologyStage> MakeCpuMorphology(ThreadPool* pool);

}  // namespace glint
