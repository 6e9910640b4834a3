// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "base/for_rows.h"
#include "base/thread_pool.h"
#include "glint/stored_plane.h"

namespace glint {

/// Rows that are unpacked at a time where all of several planes are looked at row by row: few
/// enough to be no memory, and whole tiles. No result depends on it.
inline constexpr int kStoredBandRows = 64;

/// The same rows of several planes on the host, unpacked on the pool's threads.
/// Throws std::bad_alloc.
std::vector<Plane> RowsOf(std::span<const StoredPlane> planes, Rows rows, ThreadPool& pool);

/// The planes as they were before they were put away: on their device, or unpacked.
/// Throws std::bad_alloc.
std::vector<Plane> WholeOf(std::span<const StoredPlane> planes);

}  // namespace glint
