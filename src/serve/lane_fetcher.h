// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "glint/fetcher.h"

namespace glint {

/// A fetcher whose files come with a lane: Fetch waits for one after the download, and the lane is
/// free again when the file goes, which is when its scan ends. So a slow source holds up only those
/// who wait for it, and as many scans compute at a time as there are lanes.
struct LaneFetchers {
  std::unique_ptr<Fetcher> usual;
  /// Its files take all lanes: their scans run beside no other. For scans whose worker has died: if
  /// it dies again, it was theirs to answer for.
  std::unique_ptr<Fetcher> alone;
};
/// @param files  must outlive them. @param lanes  >= 1
LaneFetchers MakeLaneFetchers(Fetcher& files, int lanes);

}  // namespace glint
