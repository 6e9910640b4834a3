// SPDX-License-Identifier: Apache-2.0
#include "store/folder_swap.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "glint/error.h"
#include "store/durable_file.h"
#include "store/staging_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

bool IsMountPoint(const fs::path& path) {
  struct statx info {};
  return statx(AT_FDCWD, path.c_str(), 0, 0, &info) == 0 &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

/// Renames, and undoes what was done unless Keep is called.
class Renames {
 public:
  Renames() = default;
  Renames(const Renames&) = delete;
  Renames& operator=(const Renames&) = delete;
  ~Renames() {
    for (const auto& [from, to] : done_) rename(to.c_str(), from.c_str());
  }

  absl::Status Do(const fs::path& from, const fs::path& to) {
    if (rename(from.c_str(), to.c_str()) != 0) return OutputError("cannot move into", to, errno);
    done_.insert(done_.begin(), {from, to});
    return absl::OkStatus();
  }
  void Keep() { done_.clear(); }

 private:
  std::vector<std::pair<fs::path, fs::path>> done_;  // the latest first
};

/// The names in a folder without staging folders, the completion mark as `mark_first` says.
absl::StatusOr<std::vector<fs::path>> Names(const fs::path& folder, bool mark_first) {
  std::vector<fs::path> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!StagingFolder::IsStaging(entry->path())) names.push_back(entry->path().filename());
  }
  if (error) return OutputError("cannot list", folder, error.value());
  std::stable_partition(names.begin(), names.end(), [&](const fs::path& name) {
    return (name == kCompletionMark) == mark_first;
  });
  return names;
}

/// Holds a folder's lock for a scope; where a file system knows no locks, nothing.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_ >= 0) flock(folder_, LOCK_EX);
  }
  ~FolderLock() {
    if (folder_ >= 0) close(folder_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  const int folder_;
};

absl::Status MoveEntries(const fs::path& staging, const fs::path& place) {
  const FolderLock alone(place);  // two that move at once would mix their sets
  GLINT_ASSIGN_OR_RETURN(const auto old_names, Names(place, true));
  GLINT_ASSIGN_OR_RETURN(const auto new_names, Names(staging, false));
  const fs::path old_set = staging / StagingFolder::kReplacedPrefix;
  if (mkdir(old_set.c_str(), 0777) != 0) return OutputError("cannot make", old_set, errno);
  Renames renames;
  for (const fs::path& name : old_names) {
    GLINT_RETURN_IF_ERROR(renames.Do(place / name, old_set / name));
  }
  for (const fs::path& name : new_names) {
    if (name == kCompletionMark) {  // what it vouches for must be on the disk before it is
      GLINT_RETURN_IF_ERROR(SyncFolder(place));
    }
    GLINT_RETURN_IF_ERROR(renames.Do(staging / name, place / name));
  }
  renames.Keep();
  return absl::OkStatus();
}

/// For file systems that cannot exchange two folders: the earlier set goes aside first.
absl::Status MoveWithoutExchange(const fs::path& staging, const fs::path& place) {
  GLINT_ASSIGN_OR_RETURN(auto aside, StagingFolder::Make(place.parent_path()));
  const fs::path old_set =
      aside.path() / fmt::format("{}{}", StagingFolder::kReplacedPrefix, place.filename().string());
  Renames renames;
  GLINT_RETURN_IF_ERROR(renames.Do(place, old_set));
  GLINT_RETURN_IF_ERROR(renames.Do(staging, place));
  renames.Keep();
  return absl::OkStatus();
}

absl::Status MoveWhole(const fs::path& staging, const fs::path& place) {
  if (rename(staging.c_str(), place.c_str()) == 0) return absl::OkStatus();
  if (errno != ENOTEMPTY && errno != EEXIST) return OutputError("cannot move into", place, errno);
  if (renameat2(AT_FDCWD, staging.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) {
    return absl::OkStatus();
  }
  return MoveWithoutExchange(staging, place);
}

}  // namespace

SwapMode SwapModeFor(const fs::path& place) {
  std::error_code error;
  if (!fs::is_directory(place, error)) return SwapMode::kWhole;
  const bool fixed = IsMountPoint(place) || fs::equivalent(place, fs::current_path(error), error) ||
                     faccessat(AT_FDCWD, place.parent_path().c_str(), W_OK | X_OK, AT_EACCESS) != 0;
  return fixed ? SwapMode::kEntries : SwapMode::kWhole;
}

absl::Status CheckReplaceable(const fs::path& place, const fs::path& staging) {
  std::error_code error;
  const fs::file_status status = fs::status(place, error);
  if (status.type() == fs::file_type::not_found) return absl::OkStatus();
  if (status.type() == fs::file_type::none) {
    return OutputError("cannot look at", place, error.value());
  }
  if (status.type() != fs::file_type::directory) {
    return Error(Reason::kOutputUnwritable,
                 fmt::format("'{}' is a file; choose a folder for the result", place.string()));
  }
  bool empty = true;
  for (fs::directory_iterator entry(place, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path() == staging) continue;
    std::error_code ignored;
    const bool half_replaced = StagingFolder::IsStaging(entry->path()) &&
                               fs::exists(entry->path() / StagingFolder::kReplacedPrefix, ignored);
    if (half_replaced || entry->path().filename() == kCompletionMark) return absl::OkStatus();
    empty = false;
  }
  if (error) return OutputError("cannot list", place, error.value());
  if (empty) return absl::OkStatus();
  return Error(Reason::kOutputUnwritable,
               fmt::format("'{}' is not empty and holds no result of glint (no {}); choose another "
                           "output folder",
                           place.string(), kCompletionMark));
}

absl::Status MoveIntoPlace(const fs::path& staging, const fs::path& place, SwapMode mode) {
  GLINT_RETURN_IF_ERROR(SyncFolder(staging));
  auto moved = mode == SwapMode::kWhole ? MoveWhole(staging, place) : MoveEntries(staging, place);
  if (!moved.ok()) return moved;
  return SyncFolder(mode == SwapMode::kWhole ? place.parent_path() : place);
}

}  // namespace glint
