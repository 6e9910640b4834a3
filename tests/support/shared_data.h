// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

namespace glint {

/// The folder of real test data that lies beside the repository on the project's own machines
/// (GLINT_SHARED_DATA, or ../shared/data), or nothing: a user's clone does not have it.
std::optional<std::filesystem::path> SharedData();

/// The folder of the reference scripts beside that data, or nothing.
std::optional<std::filesystem::path> SharedReference();

/// Skips the test when the shared data are missing, saying so.
#define GLINT_NEEDS_SHARED_DATA()                                                 \
  if (!::glint::SharedData()) {                                                   \
    GTEST_SKIP() << "needs the project's shared test data beside the repository " \
                    "(set GLINT_SHARED_DATA to its folder)";                      \
  }                                                                               \
  static_assert(true)

}  // namespace glint
