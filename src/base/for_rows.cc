// SPDX-License-Identifier: Apache-2.0
#include "base/for_rows.h"

#include <algorithm>

namespace glint {

void ForRows(ThreadPool& pool, int height, const std::function<void(Rows)>& work,
             int rows_per_task) {
  pool.ParallelFor((height + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
    const int begin = static_cast<int>(task) * rows_per_task;
    work({begin, std::min(begin + rows_per_task, height)});
  });
}

}  // namespace glint
