// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace glint {

/// What the system knows about this process. Fields that it does not tell are 0.
struct ProcessStats {
  std::int64_t resident_bytes = 0;
  std::int64_t open_files = 0;
  double cpu_seconds = 0;
};

ProcessStats ReadProcessStats();

}  // namespace glint
