// SPDX-License-Identifier: Apache-2.0
// The threads of a simulated GPU as ThreadSanitizer sees threads, in builds that carry it: it then
// finds what two of them do to one place of shared or device memory without a barrier, atomics or
// the end of a launch between. What compute-sanitizer's racecheck does, without a GPU.
#pragma once

#include <functional>

namespace glint::cuda {

#ifdef __SANITIZE_THREAD__

/// For RunOnHost: each part is a thread of its own to ThreadSanitizer, begun by the caller and
/// joined by it. They run one after the other all the same, so that what is found does not depend
/// on luck.
struct AsThreads {
  static constexpr unsigned kParts = 4;
  void operator()(const std::function<void(unsigned)>& part) const;
};

#endif

}  // namespace glint::cuda
