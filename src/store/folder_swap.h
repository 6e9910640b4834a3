// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <filesystem>

namespace glint {

/// The object whose presence says that a set is complete.
inline constexpr const char* kCompletionMark = "report.json";

/// How a finished folder gets to its place.
enum class SwapMode {
  kWhole,    ///< the folder itself is renamed: one atomic step
  kEntries,  ///< its entries are: for places that cannot be renamed (a mount point, the working
             ///< folder, a folder in a parent that may not be written)
};

/// Whether a set can be put at `place` by renaming a folder beside it.
/// @param place  absolute, exists or not
SwapMode SwapModeFor(const std::filesystem::path& place);

/// OK when nothing lies at `place`, or an empty folder, or an earlier set (whole, or half replaced
/// when a process died), so that nobody's other files are lost.
/// @param staging  the caller's own staging folder, which does not count; may be empty
/// Errors: OUTPUT_UNWRITABLE
absl::Status CheckReplaceable(const std::filesystem::path& place,
                              const std::filesystem::path& staging);

/// Moves the folder `staging` to `place` and what lay there out of the way: afterwards `staging` is
/// gone or holds what is to be deleted. In one atomic step where the file system has one; otherwise
/// entry by entry, the completion mark removed first and put last, undone when a step fails.
/// @param staging  beside `place` for kWhole, in `place` for kEntries
/// Errors: OUTPUT_UNWRITABLE, DISK_FULL; the earlier set is in its place then
absl::Status MoveIntoPlace(const std::filesystem::path& staging, const std::filesystem::path& place,
                           SwapMode mode);

}  // namespace glint
