// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <filesystem>
#include <string_view>

namespace glint {

/// A hidden folder in which a set is written before it is moved into its place. It is locked for as
/// long as the object lives; the kernel drops the lock when the process dies, however it dies, and
/// that is how leftovers are told from folders in use (process ids mean nothing across containers).
/// Deletes the folder, if it is still there, with the object.
class StagingFolder {
 public:
  static constexpr std::string_view kPrefix = ".glint-partial-";
  /// Under this name and the name of its place, an earlier set waits in a staging folder while the
  /// new one takes its place.
  static constexpr std::string_view kReplacedPrefix = ".replaced-";

  /// A new empty folder in `parent`, which must exist. Errors: OUTPUT_UNWRITABLE, DISK_FULL
  static absl::StatusOr<StagingFolder> Make(const std::filesystem::path& parent);

  /// Deletes the staging folders in `parent` that no living process has locked. A set that waited
  /// in one goes back to its place when that is free. What cannot be deleted is left: it harms
  /// nobody.
  static void RemoveLeftovers(const std::filesystem::path& parent);

  /// Whether the path names a staging folder.
  static bool IsStaging(const std::filesystem::path& path);

  StagingFolder(StagingFolder&& other) noexcept;
  StagingFolder& operator=(StagingFolder&&) = delete;
  ~StagingFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  StagingFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace glint
