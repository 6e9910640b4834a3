// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <functional>

namespace glint {

/// Calls `work` for 0 to `count` - 1, in that order and at most `at_a_time` at once: on this thread
/// and on others of their own, for work that waits for servers rather than computes. After a
/// failure nothing new begins. Errors: the first one, by order, of those that began; INTERNAL or
/// OUT_OF_MEMORY for what `work` throws
absl::Status ForEachAtOnce(std::size_t count, std::size_t at_a_time,
                           const std::function<absl::Status(std::size_t)>& work);

}  // namespace glint
