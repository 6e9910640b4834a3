// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "glint/fetcher.h"

namespace glint {

/// A fetcher whose files come with a permit to compute, of a counting semaphore: Fetch waits for
/// one after the download, and it is returned when the file goes, which is when its scan ends. So a
/// slow source holds up only those who wait for it, and as many scans compute at a time as there
/// are permits. They are given in the order in which they are asked for.
struct PermitFetchers {
  std::unique_ptr<Fetcher> usual;
  /// Its files take all permits: their scans run beside no other. For scans whose worker has died:
  /// if it dies again, it was theirs to answer for.
  std::unique_ptr<Fetcher> alone;
};
/// @param files  must outlive them. @param permits  >= 1
PermitFetchers MakePermitFetchers(Fetcher& files, int permits);

}  // namespace glint
