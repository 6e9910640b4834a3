// SPDX-License-Identifier: Apache-2.0
// Files of JSON that people hand to glint.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/status_macros.h"
#include "glint/error.h"
#include "glint/report.h"

namespace glint {

/// INPUT_UNREADABLE: the file, and why it cannot be used.
absl::Status Unusable(const std::filesystem::path& file, std::string_view why);

/// All of a file. Errors: INPUT_NOT_FOUND; INPUT_UNREADABLE
absl::StatusOr<std::string> ReadFile(const std::filesystem::path& file);

/// Four points.
Quadrilateral ToCorners(const nlohmann::json& json);

/// INPUT_UNREADABLE: what of the file is not as it was read, in our words and not the library's.
absl::Status Unusable(const std::filesystem::path& file, const nlohmann::json::exception& wrong);

/// The file as JSON, given to `use`; any key or type that it misses becomes a status.
template <class Use>
auto WithJson(const std::filesystem::path& file, const Use& use)
    -> decltype(use(nlohmann::json())) {
  GLINT_ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  try {
    return use(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& e) {
    return Unusable(file, e);
  } catch (const std::bad_alloc&) {
    return Error(Reason::kOutOfMemory, fmt::format("no memory to read '{}'", file.string()));
  }
}

}  // namespace glint
