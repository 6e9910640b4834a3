// SPDX-License-Identifier: Apache-2.0
// What a worker uses while it makes many scans, and whether that grows.
#pragma once

#include <vector>

namespace glint {

/// A look at a worker.
struct Usage {
  double scans_ended = 0;  ///< so far
  double resident_bytes = 0, open_files = 0;
};

/// Fails the test when a worker that has made `scans` scans used over 3 MB more memory during the
/// last 40 of them than during its scans 200 to 240, or over three files more; prints both. By then
/// all caches are warm. The least of each, because a look depends on what is in flight at that
/// moment, by more than the growth that is looked for.
/// @param looks  at least ten during each of the two
void ExpectNoGrowth(const std::vector<Usage>& looks, int scans);

}  // namespace glint
