// SPDX-License-Identifier: Apache-2.0
#include "base/stored_rows.h"

namespace glint {

std::vector<Plane> RowsOf(std::span<const StoredPlane> planes, Rows rows, ThreadPool& pool) {
  std::vector<Plane> shown(planes.size());
  pool.ParallelFor(std::ssize(shown), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    shown[at] = planes[at].RowsOf(rows.begin, rows.end);
  });
  return shown;
}

}  // namespace glint
