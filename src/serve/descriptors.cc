// SPDX-License-Identifier: Apache-2.0
#include "serve/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace glint {
namespace {

// Open files that connections may not take.
/// The worker's own: the job store's, logs, listening sockets, calls to sinks, libraries that load.
constexpr int kReserve = 200;
/// A running scan's: the video, the decoder's pipes and shared memory, a download, and as many
/// connections to the store as upload at once.
constexpr int kReservePerScan = 32;

/// So that a worker with few open files can be asked how it is and be told to stop.
constexpr int kMinConnections = 16;
/// Each costs memory; who has more callers sets --max-connections.
constexpr int kMaxConnections = 1'000;

}  // namespace

int RaiseDescriptorLimit() {
  constexpr rlim_t kEnough = 65'536;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  const rlim_t wanted = std::max(limit.rlim_cur, std::min(limit.rlim_max, kEnough));
  const rlimit raised{wanted, limit.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  return static_cast<int>(std::min(limit.rlim_cur, kEnough));
}

int ConnectionsWithin(int limit, int scans) {
  return std::clamp(limit - kReserve - kReservePerScan * scans, kMinConnections, kMaxConnections);
}

}  // namespace glint
