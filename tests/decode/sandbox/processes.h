// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace glint {

/// This process's children, zombies included.
std::vector<pid_t> Children();
/// Descriptors that this process has open.
std::size_t OpenDescriptors();
/// Mappings of frames that are shared with a child.
std::size_t SharedMappings();
/// Physical memory of this process, bytes.
std::int64_t ResidentBytes();

}  // namespace glint
