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

/// Fails the test when an idle worker uses over 2.9 MB more memory than it did after earlier scans,
/// or any file more; prints both. The least of the looks, because what a scan was given may take a
/// moment to come back.
/// @param early,late  at least one look each, while nothing was under way; early: with warm caches,
///     and after as much was done at a time as ever is: an HTTP client keeps for each request that
///     was under way beside others a connection and the two sockets by which libcurl wakes a wait
void ExpectNoGrowth(const std::vector<Usage>& early, const std::vector<Usage>& late);

}  // namespace glint
