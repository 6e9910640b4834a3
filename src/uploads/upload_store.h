// SPDX-License-Identifier: Apache-2.0
// Videos that callers bring themselves, piece by piece, until a scan has read them.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace glint {

struct UploadLimits {
  std::int64_t max_bytes = std::int64_t{4} << 30;     ///< of one upload
  std::int64_t owner_bytes = std::int64_t{8} << 30;   ///< announced by all of an owner's
  std::int64_t total_bytes = std::int64_t{16} << 30;  ///< announced by all
  int owner_count = 100;                              ///< of an owner's at a time
  /// Since its last byte came; then it is deleted, unless a scan that waits or runs is to read it.
  std::chrono::seconds age{24 * 3600};
};

/// Whether a scan that named an upload will read it.
enum class UploadNeed {
  kNone,   ///< it is made
  kMaybe,  ///< it failed for a reason that may pass
  kSure,   ///< it waits or runs
};

/// How an upload stands.
struct UploadInfo {
  std::string id;
  std::string owner;
  std::int64_t length = 0;  ///< as announced
  std::int64_t offset = 0;  ///< so much has come
  std::chrono::system_clock::time_point expires;
  std::vector<std::string> scans = {};  ///< that name it, as the job store calls them
  bool whole() const { return offset == length; }
};

/// Adds bytes to an upload; nobody else can meanwhile. What came stays when it is dropped.
class UploadWriter {
 public:
  virtual ~UploadWriter() = default;
  virtual const UploadInfo& info() const = 0;
  /// Errors: NOT_A_VIDEO when its first bytes are of no container that glint takes (it is deleted
  /// then); LIMIT_EXCEEDED more than was announced; DISK_FULL, OUTPUT_UNWRITABLE
  virtual absl::Status Add(std::span<const std::byte> bytes) = 0;
  /// Waits until what came is on the disk. Errors: as Add
  virtual absl::Status Sync() = 0;
};

/// Uploads in a folder, which several workers may share. Each owner has ids of its own. Safe to use
/// from several threads.
class UploadStore {
 public:
  virtual ~UploadStore() = default;
  virtual const UploadLimits& limits() const = 0;
  /// Begins an upload. @param id  letters, digits and "._-"
  /// Errors: SCAN_CONFLICT the id is in use; LIMIT_EXCEEDED; QUOTA_EXCEEDED; DISK_FULL;
  /// INVALID_OPTION the id, or a length that is not positive
  virtual absl::StatusOr<UploadInfo> Create(std::string_view owner, std::string_view id,
                                            std::int64_t length) = 0;
  /// Errors: INPUT_NOT_FOUND
  virtual absl::StatusOr<UploadInfo> Get(std::string_view owner, std::string_view id) = 0;
  /// Errors: INPUT_NOT_FOUND; CLAIM_LOST somebody else writes to it
  virtual absl::StatusOr<std::unique_ptr<UploadWriter>> Write(std::string_view owner,
                                                              std::string_view id) = 0;
  /// Errors: INPUT_NOT_FOUND; CLAIM_LOST somebody writes to it
  virtual absl::Status Remove(std::string_view owner, std::string_view id) = 0;
  /// Notes that a scan will read it. Errors: INPUT_NOT_FOUND, also while it is not whole
  virtual absl::Status Claim(std::string_view owner, std::string_view id,
                             std::string_view scan_id) = 0;
  /// Where a whole one lies. Errors: INPUT_NOT_FOUND
  virtual absl::StatusOr<std::filesystem::path> PathOf(std::string_view owner,
                                                       std::string_view id) = 0;
  /// Deletes those that are too old, and those whose scans have all been made.
  /// @param need  of a scan, as the job store calls it
  virtual void Sweep(const std::function<UploadNeed(const std::string& scan_id)>& need) = 0;
};

/// @param folder  made, for this user alone, where it is missing. Errors: OUTPUT_UNWRITABLE
absl::StatusOr<std::unique_ptr<UploadStore>> OpenUploadStore(std::filesystem::path folder,
                                                             const UploadLimits& limits);

}  // namespace glint
