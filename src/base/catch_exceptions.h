// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <fmt/format.h>

#include <exception>
#include <new>
#include <string_view>

#include "glint/error.h"

namespace glint {

/// The status of `work`; what it throws is OUT_OF_MEMORY, or else INTERNAL.
/// @param no_memory  the message when memory is out
template <class Work>
absl::Status CatchExceptions(Work&& work, std::string_view no_memory = "memory is out") {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, no_memory);
  } catch (const std::exception& bug) {
    return Error(Reason::kInternal, fmt::format("a bug of glint: {}", bug.what()));
  } catch (...) {
    return Error(Reason::kInternal, "a bug of glint: something unknown was thrown");
  }
}

}  // namespace glint
