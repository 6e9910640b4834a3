// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "glint/fetcher.h"

namespace glint {

/// A file of a work folder, deleted with this object. It is locked for as long; the kernel drops
/// the lock when the process dies, and that is how leftovers are told from files in use.
class WorkFile final : public FetchedFile {
 public:
  ~WorkFile() override;
  WorkFile(const WorkFile&) = delete;
  WorkFile& operator=(const WorkFile&) = delete;

  const std::filesystem::path& path() const override { return path_; }
  std::int64_t size() const { return size_; }

  /// Errors: DISK_FULL, also when the folder's quota is used up; OUTPUT_UNWRITABLE
  absl::Status Append(std::span<const std::byte> bytes);
  /// Empties the file. Errors: OUTPUT_UNWRITABLE
  absl::Status Clear();

 private:
  friend class WorkFolder;
  struct Quota;
  WorkFile(std::filesystem::path path, int file, std::shared_ptr<Quota> quota);

  const std::filesystem::path path_;
  const int file_;
  const std::shared_ptr<Quota> quota_;
  std::int64_t size_ = 0;
};

/// A folder of temporary files, with a limit on what lies there. Safe to use from several threads.
class WorkFolder {
 public:
  /// Makes a folder of this user's own in `parent`, which is made too when it is missing, and
  /// deletes files of dead processes there.
  /// @param parent  empty: the system's temporary folder
  /// Errors: OUTPUT_UNWRITABLE, also when another user could change what lies there
  static absl::StatusOr<std::unique_ptr<WorkFolder>> Open(std::filesystem::path parent,
                                                          std::int64_t quota_bytes);

  /// A new empty file. Errors: OUTPUT_UNWRITABLE, DISK_FULL
  absl::StatusOr<std::unique_ptr<WorkFile>> NewFile();

 private:
  WorkFolder(std::filesystem::path path, std::int64_t quota_bytes);
  void RemoveLeftovers() const;

  const std::filesystem::path path_;
  const std::shared_ptr<WorkFile::Quota> quota_;
};

}  // namespace glint
