// SPDX-License-Identifier: Apache-2.0
// Files and folders that survive a power cut, and the one place where an errno becomes a status.
#pragma once

#include <absl/status/status.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace glint {

/// The status of a failed system call on an output.
/// @param what   what failed, e.g. "cannot write"
/// @param error  errno
/// Gives DISK_FULL for a full disk or used-up quota, STORE_UNAVAILABLE where a network file system
/// has lost its server, else OUTPUT_UNWRITABLE.
absl::Status OutputError(std::string_view what, const std::filesystem::path& path, int error);

/// Writes a new file (or replaces one) and waits until its bytes are on the disk.
/// Errors: OUTPUT_UNWRITABLE, DISK_FULL
absl::Status WriteDurably(const std::filesystem::path& path, std::span<const std::byte> content);

/// Waits until the folder's entries (new names, renames) are on the disk.
/// Errors: OUTPUT_UNWRITABLE, DISK_FULL
absl::Status SyncFolder(const std::filesystem::path& path);

}  // namespace glint
