// SPDX-License-Identifier: Apache-2.0
#include "serve/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace glint {
namespace {

constexpr int kReserve = 200;
constexpr int kReservePerLane = 32;
constexpr int kFewest = 16;
constexpr int kMost = 1'000;

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

int ConnectionsWithin(int limit, int lanes) {
  return std::clamp(limit - kReserve - kReservePerLane * lanes, kFewest, kMost);
}

}  // namespace glint
