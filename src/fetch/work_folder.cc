// SPDX-License-Identifier: Apache-2.0
#include "fetch/work_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "glint/error.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "glint-download-";

absl::Status Failed(std::string_view what, const fs::path& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return Error(
      full ? Reason::kDiskFull : Reason::kOutputUnwritable,
      fmt::format("{} '{}': {}; {}choose another folder for downloads", what, path.string(),
                  std::generic_category().message(error), full ? "free some space or " : ""));
}

}  // namespace

struct WorkFile::Quota {
  explicit Quota(std::int64_t bytes) : left(bytes) {}
  std::atomic<std::int64_t> left;

  bool Reserve(std::int64_t bytes) {
    if (left.fetch_sub(bytes) >= bytes) return true;
    left += bytes;
    return false;
  }
};

WorkFile::WorkFile(fs::path path, int file, std::shared_ptr<Quota> quota)
    : path_(std::move(path)), file_(file), quota_(std::move(quota)) {}

WorkFile::~WorkFile() {
  unlink(path_.c_str());
  close(file_);
  quota_->left += size_;
}

absl::Status WorkFile::Append(std::span<const std::byte> bytes) {
  const auto count = static_cast<std::int64_t>(bytes.size());
  if (!quota_->Reserve(count)) {
    return Error(Reason::kDiskFull,
                 fmt::format("the downloads in '{}' use up all that they may; wait until a scan "
                             "ends, or allow more",
                             path_.parent_path().string()));
  }
  size_ += count;
  while (!bytes.empty()) {
    const ssize_t written = write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("cannot write", path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return absl::OkStatus();
}

absl::Status WorkFile::Clear() {
  if (ftruncate(file_, 0) != 0 || lseek(file_, 0, SEEK_SET) != 0) {
    return Failed("cannot empty", path_, errno);
  }
  quota_->left += std::exchange(size_, 0);
  return absl::OkStatus();
}

WorkFolder::WorkFolder(fs::path path, std::int64_t quota_bytes)
    : path_(std::move(path)), quota_(std::make_shared<WorkFile::Quota>(quota_bytes)) {}

absl::StatusOr<std::unique_ptr<WorkFolder>> WorkFolder::Open(fs::path parent,
                                                             std::int64_t quota_bytes) {
  std::error_code error;
  if (parent.empty()) parent = fs::temp_directory_path(error);
  if (error) return Failed("cannot find", "the temporary folder", error.value());
  if (!fs::create_directories(parent, error) && error) {
    return Failed("cannot make", parent, error.value());
  }
  fs::path path = parent / fmt::format("glint-downloads-{}", geteuid());
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return Failed("cannot make", path, errno);
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return Failed("cannot look at", path, errno);
  if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 022) != 0) {
    return Error(Reason::kOutputUnwritable,
                 fmt::format("'{}' is no folder that only this user may write; choose another for "
                             "downloads",
                             path.string()));
  }
  std::unique_ptr<WorkFolder> folder(new WorkFolder(std::move(path), quota_bytes));
  folder->RemoveLeftovers();
  return folder;
}

void WorkFolder::RemoveLeftovers() const {
  std::error_code error;
  for (fs::directory_iterator entry(path_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->path().filename().string().starts_with(kPrefix)) continue;
    const int file = open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0) unlink(entry->path().c_str());
    close(file);
  }
}

absl::StatusOr<std::unique_ptr<WorkFile>> WorkFolder::NewFile() {
  std::random_device random;
  while (true) {
    fs::path path = path_ / fmt::format("{}{:08x}{:08x}", kPrefix, random(), random());
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) return Failed("cannot make a file in", path_, errno);
    // A cleaner that came in between holds the lock and deletes the file: take another.
    struct stat info {};
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &info) == 0 && info.st_nlink == 1) {
      return std::unique_ptr<WorkFile>(new WorkFile(std::move(path), file, quota_));
    }
    close(file);
  }
}

}  // namespace glint
