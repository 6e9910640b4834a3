// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/thread_pool.h"

namespace glint {

/// Rows begin .. end - 1 of a plane.
struct Rows {
  int begin, end;
};

/// Works on all rows of a plane of this height, `rows_per_task` at a time, on the pool's threads.
void ForRows(ThreadPool& pool, int height, const std::function<void(Rows)>& work,
             int rows_per_task = 16);

}  // namespace glint
