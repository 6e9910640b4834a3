// SPDX-License-Identifier: Apache-2.0
#include "base/spilled_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/large_memory.h"
#include "base/mutex.h"

namespace glint {
namespace {

constexpr std::size_t kFewest = 64 << 10;  // what is less is not worth a call
constexpr std::size_t kPage = 4096;        // places in the file are whole pages
/// Bytes of the disk that are left to others: queues, downloads and results lie there, too.
constexpr std::uint64_t kLeftToOthers = 64 << 20;

/// A file without a name. @return not open: errno says why
Descriptor UnnamedFile(const std::string& folder) {
  Descriptor file(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.open() || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return file;
  std::string path = folder + "/glint-spill-XXXXXX";  // no such files there: NFS
  Descriptor named(mkostemp(path.data(), O_CLOEXEC));
  if (named.open()) unlink(path.c_str());
  return named;
}

/// A file, and which parts of it are free. Safe to use from several threads.
class SpillFile {
 public:
  SpillFile(Descriptor file, std::string folder, std::function<void(const std::string&)> warn)
      : file_(std::move(file)), folder_(std::move(folder)), warn_(std::move(warn)) {}

  /// Writes bytes somewhere. @return where they begin; nothing when they could not be written
  std::optional<std::int64_t> Put(std::span<const std::uint8_t> bytes) {
    if (!HasRoomFor(bytes.size())) {
      Refuse(ENOSPC);
      return std::nullopt;
    }
    const std::size_t size = bytes.size();
    const std::int64_t begin = Take(PagesFor(size));
    for (std::int64_t at = begin; !bytes.empty();) {
      const ssize_t written = pwrite(file_.number(), bytes.data(), bytes.size(), at);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) {
        Refuse(written < 0 ? errno : ENOSPC);
        Free(begin, size);
        return std::nullopt;
      }
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      at += written;
    }
    return begin;
  }

  void Read(std::int64_t at, std::span<std::uint8_t> out) const {
    while (!out.empty()) {
      const ssize_t got = pread(file_.number(), out.data(), out.size(), at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        throw std::system_error(got < 0 ? errno : EIO, std::generic_category(),
                                fmt::format("cannot read what was put away in '{}'", folder_));
      }
      out = out.subspan(static_cast<std::size_t>(got));
      at += got;
    }
  }

  /// The part is free again, and takes no more of the disk where the file system can do that.
  void Free(std::int64_t begin, std::size_t bytes) {
    const std::int64_t pages = PagesFor(bytes);
    fallocate(file_.number(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, pages);
    GiveBack(begin, pages);
  }

 private:
  static std::int64_t PagesFor(std::size_t bytes) {
    return static_cast<std::int64_t>((bytes + kPage - 1) / kPage * kPage);
  }

  bool HasRoomFor(std::size_t bytes) const {
    struct statvfs disk {};
    if (fstatvfs(file_.number(), &disk) != 0) return true;  // then writing says it
    return std::uint64_t{disk.f_bavail} * disk.f_frsize >= bytes + kLeftToOthers;
  }

  /// The first free part that is large enough, or a new one at the end.
  std::int64_t Take(std::int64_t bytes) {
    const MutexLock lock(mutex_);
    const auto fits =
        std::ranges::find_if(free_, [&](const auto& part) { return part.second >= bytes; });
    if (fits == free_.end()) return std::exchange(end_, end_ + bytes);
    const auto [begin, size] = *fits;
    free_.erase(fits);
    if (size > bytes) free_.emplace(begin + bytes, size - bytes);
    return begin;
  }

  void GiveBack(std::int64_t begin, std::int64_t bytes) {
    const MutexLock lock(mutex_);
    auto part = free_.emplace(begin, bytes).first;
    if (const auto next = std::next(part); next != free_.end() && next->first == begin + bytes) {
      part->second += next->second;
      free_.erase(next);
    }
    if (part != free_.begin()) {
      if (const auto before = std::prev(part); before->first + before->second == begin) {
        before->second += part->second;
        free_.erase(part);
        part = before;
      }
    }
    if (part->first + part->second == end_) {
      end_ = part->first;
      free_.erase(part);
    }
  }

  void Refuse(int error) {
    if (said_.exchange(true)) return;
    warn_(fmt::format("'{}' takes no more of what a scan puts away ({}); it stays in memory",
                      folder_, std::generic_category().message(error)));
  }

  const Descriptor file_;
  const std::string folder_;
  const std::function<void(const std::string&)> warn_;
  std::atomic<bool> said_ = false;
  Mutex mutex_;
  std::map<std::int64_t, std::int64_t> free_ ABSL_GUARDED_BY(mutex_);  // begin and bytes; apart
  std::int64_t end_ ABSL_GUARDED_BY(mutex_) = 0;
};

/// That of SpillTo; null without it.
std::shared_ptr<SpillFile>& TheFile() {
  static std::shared_ptr<SpillFile> file;
  return file;
}

}  // namespace

/// Where the bytes lie: in the file, or in memory.
class SpilledBytes::Place {
 public:
  explicit Place(std::span<const std::uint8_t> bytes) : bytes_(bytes.size()) {
    if (bytes_ >= kFewest && TheFile() != nullptr) {
      if (const auto begin = TheFile()->Put(bytes)) {
        file_ = TheFile();
        begin_ = *begin;
        return;
      }
    }
    memory_ = LargeMemory(bytes_);
    std::memcpy(memory_.data(), bytes.data(), bytes_);
  }
  ~Place() {
    if (file_ != nullptr) file_->Free(begin_, bytes_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  void Read(std::size_t at, std::span<std::uint8_t> out) const {
    if (file_ != nullptr) {
      file_->Read(begin_ + static_cast<std::int64_t>(at), out);
    } else {
      std::memcpy(out.data(), memory_.data() + at, out.size());
    }
  }

 private:
  const std::size_t bytes_;
  std::shared_ptr<SpillFile> file_;  // null: in memory
  std::int64_t begin_ = 0;           // in the file
  LargeMemory memory_;
};

void SpillTo(const std::filesystem::path& folder, std::function<void(const std::string&)> warn) {
  std::error_code error;
  const std::string where =
      (folder.empty() ? std::filesystem::temp_directory_path(error) : folder).string();
  Descriptor file = error ? Descriptor() : UnnamedFile(where);
  if (!file.open()) {
    if (!error) error.assign(errno, std::generic_category());
    TheFile() = nullptr;
    warn(
        fmt::format("no temporary file can be made in {} ({}); frames stay in memory, which takes "
                    "up to twice as much of it{}",
                    where.empty() ? "the temporary folder" : fmt::format("'{}'", where),
                    error.message(), folder.empty() ? "; let TMPDIR name another folder" : ""));
    return;
  }
  TheFile() = std::make_shared<SpillFile>(std::move(file), where, std::move(warn));
}

SpilledBytes::SpilledBytes(std::span<const std::uint8_t> bytes)
    : size_(bytes.size()), place_(std::make_shared<const Place>(bytes)) {}

void SpilledBytes::Read(std::size_t at, std::span<std::uint8_t> out) const {
  if (!out.empty()) place_->Read(at, out);
}

}  // namespace glint
