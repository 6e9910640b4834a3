// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace glint {

/// A process's children, zombies included.
std::vector<pid_t> Children(pid_t of = getpid());
/// Descriptors that this process has open.
std::size_t OpenDescriptors();
/// Mappings of frames that are shared with a child.
std::size_t SharedMappings();
/// Physical memory of this process, bytes.
std::int64_t ResidentBytes();

}  // namespace glint
