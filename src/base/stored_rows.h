// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/for_rows.h"
#include "base/thread_pool.h"
#include "glint/stored_plane.h"

namespace glint {

/// The same rows of several planes on the host, unpacked on the pool's threads.
/// Throws std::bad_alloc.
std::vector<Plane> RowsOf(std::span<const StoredPlane> planes, Rows rows, ThreadPool& pool);

}  // namespace glint
