// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/thread_pool.h"
#include "glint/stages.h"

namespace glint {

std::unique_ptr<ConnectedComponentsStage> MakeCpuConnectedComponents(ThreadPool* pool);

}  // namespace glint
