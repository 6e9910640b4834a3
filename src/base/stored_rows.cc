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

std::vector<Plane> WholeOf(std::span<const StoredPlane> planes) {
  std::vector<Plane> whole;
  whole.reserve(planes.size());
  for (const StoredPlane& plane : planes) {
    whole.push_back(plane.device().is_host() ? plane.Whole() : plane.on_device());
  }
  return whole;
}

}  // namespace glint
