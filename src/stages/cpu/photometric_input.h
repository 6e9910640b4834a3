// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/thread_pool.h"
#include "stages/cpu/photometric/targets.h"

namespace glint::photometric {

/// Works on all rows of a plane of this height, some at a time.
void ForRows(ThreadPool& pool, int height, const std::function<void(Rows)>& work);

}  // namespace glint::photometric
