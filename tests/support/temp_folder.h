// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace glint {

/// An empty folder of a test's own, deleted with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// A file in the folder with this content; folders on the way are made.
  std::filesystem::path Write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

/// While it lives, this process has no rights beyond those of "nobody", so that tests of file
/// rights mean something when they run as root. Does nothing for other users.
class WithoutRootRights {
 public:
  WithoutRootRights();
  ~WithoutRootRights();
  WithoutRootRights(const WithoutRootRights&) = delete;
  WithoutRootRights& operator=(const WithoutRootRights&) = delete;

 private:
  bool was_root_ = false;
};

}  // namespace glint
