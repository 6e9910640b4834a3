// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <filesystem>

#include "glint/tuning.h"

namespace glint {

/// Where the tuning lies when nobody says otherwise: glint/tuning.json in $XDG_CACHE_HOME, or in
/// ~/.cache. Empty when the environment names neither.
std::filesystem::path DefaultTuningFile();

/// Reads a tuning. A file that is not there is an empty one.
/// Errors: INPUT_UNREADABLE the file cannot be read or is no tuning of this version
absl::StatusOr<Tuning> ReadTuning(const std::filesystem::path& file);

/// Writes a tuning, whole or not at all; makes the folder when it is missing.
/// Errors: OUTPUT_UNWRITABLE
absl::Status WriteTuning(const Tuning& tuning, const std::filesystem::path& file);

}  // namespace glint
