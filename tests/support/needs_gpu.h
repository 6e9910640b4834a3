// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "glint/error.h"

namespace glint {

/// Whether tests that find no GPU fail instead of being skipped (GLINT_REQUIRE_GPU=1).
inline bool GpuIsRequired() {
  const char* required = std::getenv("GLINT_REQUIRE_GPU");
  return required != nullptr && std::string_view(required) == "1";
}

/// Skips the test when a GPU did not open, saying why, or fails it where one is required.
/// @param opened  the absl::Status of opening it
#define GLINT_NEEDS_GPU(opened)                                                                \
  if (!(opened).ok()) {                                                                        \
    ASSERT_FALSE(::glint::GpuIsRequired()) << "a GPU must work: " << ::glint::Message(opened); \
    GTEST_SKIP() << "no GPU works here: " << ::glint::Message(opened);                         \
  }                                                                                            \
  static_assert(true)

}  // namespace glint
