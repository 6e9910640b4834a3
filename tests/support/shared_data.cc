// SPDX-License-Identifier: Apache-2.0
#include "support/shared_data.h"

#include <cstdlib>

namespace glint {
namespace fs = std::filesystem;

std::optional<fs::path> SharedData() {
  const char* named = std::getenv("GLINT_SHARED_DATA");
  const fs::path folder =
      named ? fs::path(named) : fs::path(GLINT_SOURCE_DIR).parent_path() / "shared/data";
  return fs::exists(folder / "clips") ? std::optional(folder) : std::nullopt;
}

std::optional<fs::path> SharedReference() {
  const auto data = SharedData();
  if (!data) return std::nullopt;
  const fs::path folder = data->parent_path() / "reference";
  return fs::exists(folder / "common.py") ? std::optional(folder) : std::nullopt;
}

}  // namespace glint
