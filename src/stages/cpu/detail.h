// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/thread_pool.h"
#include "glint/stages.h"

namespace glint {

/// Laplacian, gradient and local variance in one pass over the rows.
/// @param pool  shares the rows; must outlive the stage
std::unique_ptr<DetailStage> MakeCpuDetail(ThreadPool* pool);

}  // namespace glint
