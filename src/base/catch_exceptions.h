// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <fmt/format.h>

#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "glint/error.h"

namespace glint {

/// What was thrown, as a status: OUT_OF_MEMORY where memory or threads are out, or else INTERNAL.
/// @param no_memory  the message when memory is out
inline absl::Status StatusOf(const std::exception& thrown,
                             std::string_view no_memory = "memory is out") {
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr) {
    return Error(Reason::kOutOfMemory, no_memory);
  }
  const auto* refused = dynamic_cast<const std::system_error*>(&thrown);
  if (refused != nullptr && refused->code() == std::errc::resource_unavailable_try_again) {
    return Error(Reason::kOutOfMemory,
                 "no thread could be started; allow more processes (ulimit -u, pids.max), or run "
                 "fewer scans at a time");
  }
  return Error(Reason::kInternal, fmt::format("a bug of glint: {}", thrown.what()));
}

/// The status of `work`; what it throws as StatusOf() says.
/// @param no_memory  the message when memory is out
template <class Work>
absl::Status CatchExceptions(Work&& work, std::string_view no_memory = "memory is out") {
  try {
    return work();
  } catch (const std::exception& thrown) {
    return StatusOf(thrown, no_memory);
  } catch (...) {
    return Error(Reason::kInternal, "a bug of glint: something unknown was thrown");
  }
}

}  // namespace glint
