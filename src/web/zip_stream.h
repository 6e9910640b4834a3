// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace glint {

/// A zip archive of files that is made while it is read: no more of it is in memory than its
/// largest file.
class ZipStream {
 public:
  struct Entry {
    std::string name;  ///< in the archive
    std::filesystem::path file;
  };
  virtual ~ZipStream() = default;
  /// The next bytes; empty at the end. Errors: INPUT_NOT_FOUND, INPUT_UNREADABLE a file is gone;
  /// INTERNAL
  virtual absl::StatusOr<std::string> Next() = 0;
};

/// @param entries  with names that differ. What they hold is not packed: pictures are already
std::unique_ptr<ZipStream> MakeZipStream(std::vector<ZipStream::Entry> entries);

}  // namespace glint
