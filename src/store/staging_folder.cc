// SPDX-License-Identifier: Apache-2.0
#include "store/staging_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "store/durable_file.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

int OpenFolder(const fs::path& path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/// Whether the folder behind the descriptor still has this name.
bool StillNamed(int folder, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(folder, &opened) == 0 && lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Locks a new folder. False when somebody who looks for leftovers was faster.
bool Locked(int folder, const fs::path& path) {
  if (flock(folder, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  return StillNamed(folder, path);  // where a file system knows no locks, nobody deletes either
}

/// Puts sets that were being replaced when their process died back to their places.
void RestoreReplaced(const fs::path& leftover) {
  std::error_code error;
  for (fs::directory_iterator entry(leftover, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(StagingFolder::kReplacedPrefix)) continue;
    const std::string place = name.substr(StagingFolder::kReplacedPrefix.size());
    if (place.empty()) continue;
    renameat2(AT_FDCWD, entry->path().c_str(), AT_FDCWD, (leftover.parent_path() / place).c_str(),
              RENAME_NOREPLACE);
  }
}

}  // namespace

absl::StatusOr<StagingFolder> StagingFolder::Make(const fs::path& parent) {
  std::random_device random;
  while (true) {
    fs::path path = parent / fmt::format("{}{:08x}{:08x}", kPrefix, random(), random());
    if (mkdir(path.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      return OutputError("cannot make a folder in", parent, errno);
    }
    const int folder = OpenFolder(path);
    if (folder >= 0 && Locked(folder, path)) return StagingFolder(std::move(path), folder);
    const int error = errno;
    if (folder >= 0) {
      close(folder);
    } else if (error != ENOENT) {
      rmdir(path.c_str());
      return OutputError("cannot open folder", path, error);
    }
  }
}

void StagingFolder::RemoveLeftovers(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!IsStaging(entry->path())) continue;
    const int folder = OpenFolder(entry->path());
    if (folder < 0) continue;
    if (flock(folder, LOCK_EX | LOCK_NB) == 0 && StillNamed(folder, entry->path())) {
      RestoreReplaced(entry->path());
      std::error_code ignored;
      fs::remove_all(entry->path(), ignored);
    }
    close(folder);
  }
}

bool StagingFolder::IsStaging(const fs::path& path) {
  return path.filename().string().starts_with(kPrefix);
}

StagingFolder::StagingFolder(StagingFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

StagingFolder::~StagingFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(lock_);
}

}  // namespace glint
