// SPDX-License-Identifier: Apache-2.0
#include "uploads/upload_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/status_macros.h"
#include "glint/error.h"
#include "http/digest.h"
#include "jobs/failure_reason.h"
#include "store/durable_file.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using SystemClock = std::chrono::system_clock;

constexpr std::string_view kVideo = ".video";
constexpr std::string_view kNotes = ".json";
constexpr std::size_t kKeyDigits = 40;
/// So many first bytes say which container it is.
constexpr std::size_t kSniffed = 12;

/// Whether a file that begins so may be of a container that glint-decode takes: ISO media (MP4,
/// QuickTime), Matroska and WebM, AVI.
bool MayBeVideo(std::string_view first) {
  constexpr std::array<std::string_view, 6> kBoxes = {"ftyp", "moov", "mdat",
                                                      "wide", "free", "skip"};
  const std::string_view box = first.substr(4, 4);
  return std::ranges::find(kBoxes, box) != kBoxes.end() || first.starts_with("\x1A\x45\xDF\xA3") ||
         (first.starts_with("RIFF") && first.substr(8, 4) == "AVI ");
}

bool IsId(std::string_view id) {
  constexpr std::size_t kMost = 128;
  return !id.empty() && id.size() <= kMost && id.front() != '.' &&
         std::ranges::all_of(id, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
         });
}

absl::Status NotFound(std::string_view id) {
  return Error(Reason::kInputNotFound,
               fmt::format("no upload '{}' is known; it may have been used by its scan, or be too "
                           "old",
                           id.substr(0, 128)));
}

absl::Status Busy(std::string_view id) {
  return Error(ServiceReason::kClaimLost,
               fmt::format("the upload '{}' is being written to by another request", id));
}

absl::Status NoVideo() {
  return Error(Reason::kNotAVideo,
               "the upload is no MP4, QuickTime, WebM, Matroska or AVI file, and was deleted");
}

/// An upload's files. Their names are digests, so that nothing that a caller chose is a path.
struct Files {
  fs::path video, notes;
};

class FileWriter final : public UploadWriter {
 public:
  /// @param file  locked
  FileWriter(UploadInfo info, Files files, Descriptor file)
      : info_(std::move(info)), files_(std::move(files)), file_(std::move(file)) {}

  const UploadInfo& info() const override { return info_; }

  absl::Status Add(std::span<const std::byte> bytes) override {
    if (static_cast<std::int64_t>(bytes.size()) > info_.length - info_.offset) {
      return Error(
          Reason::kLimitExceeded,
          fmt::format("the upload has more than the {} bytes that were announced", info_.length));
    }
    while (!bytes.empty()) {
      const ssize_t written = pwrite(file_.number(), bytes.data(), bytes.size(), info_.offset);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return OutputError("cannot write", files_.video, errno);
      const std::int64_t before = std::exchange(info_.offset, info_.offset + written);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      if (before < static_cast<std::int64_t>(kSniffed)) GLINT_RETURN_IF_ERROR(Sniff());
    }
    return absl::OkStatus();
  }

  absl::Status Sync() override {
    if (info_.whole() && info_.offset < static_cast<std::int64_t>(kSniffed)) return Refuse();
    if (fdatasync(file_.number()) != 0) return OutputError("cannot write", files_.video, errno);
    return absl::OkStatus();
  }

 private:
  absl::Status Sniff() {
    std::array<char, kSniffed> first{};
    if (pread(file_.number(), first.data(), first.size(), 0) < static_cast<ssize_t>(first.size())) {
      return absl::OkStatus();
    }
    return MayBeVideo({first.data(), first.size()}) ? absl::OkStatus() : Refuse();
  }

  absl::Status Refuse() {
    unlink(files_.video.c_str());
    unlink(files_.notes.c_str());
    return NoVideo();
  }

  UploadInfo info_;
  const Files files_;
  const Descriptor file_;
};

class FolderUploads final : public UploadStore {
 public:
  FolderUploads(fs::path folder, const UploadLimits& limits)
      : folder_(std::move(folder)), limits_(limits) {}

  const UploadLimits& limits() const override { return limits_; }

  absl::StatusOr<UploadInfo> Create(std::string_view owner, std::string_view id,
                                    std::int64_t length) override {
    GLINT_RETURN_IF_ERROR(Check(id, length));
    const MutexLock lock(mutex_);
    const Descriptor other_workers = Lock();
    GLINT_RETURN_IF_ERROR(CheckRoom(owner, length));
    const Files files = FilesOf(owner, id);
    UploadInfo info{.id = std::string(id), .owner = std::string(owner), .length = length};
    const Descriptor made(
        open(files.video.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!made.open() && errno == EEXIST) {
      return Error(ServiceReason::kScanConflict,
                   fmt::format("an upload '{}' exists; delete it, or take another id", id));
    }
    if (!made.open()) return OutputError("cannot make", files.video, errno);
    if (const absl::Status noted = WriteNotes(files, info); !noted.ok()) {
      unlink(files.video.c_str());
      return noted;
    }
    return Get(owner, id);
  }

  absl::StatusOr<UploadInfo> Get(std::string_view owner, std::string_view id) override {
    auto info = Look(FilesOf(owner, id));
    if (!info) return NotFound(id);
    return *std::move(info);
  }

  absl::StatusOr<std::unique_ptr<UploadWriter>> Write(std::string_view owner,
                                                      std::string_view id) override {
    const Files files = FilesOf(owner, id);
    Descriptor file = OpenVideo(files);
    if (!file.open()) return NotFound(id);
    if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) return Busy(id);
    auto info = Look(files);  // after the lock: another may have written, or deleted it
    if (!info) return NotFound(id);
    return std::make_unique<FileWriter>(*std::move(info), files, std::move(file));
  }

  absl::Status Remove(std::string_view owner, std::string_view id) override {
    const Files files = FilesOf(owner, id);
    const Descriptor file = OpenVideo(files);
    if (!file.open()) return NotFound(id);
    if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) return Busy(id);
    Delete(files);
    return absl::OkStatus();
  }

  absl::Status Claim(std::string_view owner, std::string_view id,
                     std::string_view scan_id) override {
    const MutexLock lock(mutex_);
    const Descriptor other_workers = Lock();
    const Files files = FilesOf(owner, id);
    auto info = Look(files);
    if (!info) return NotFound(id);
    if (!info->whole()) {
      return Error(Reason::kInputNotFound,
                   fmt::format("the upload '{}' is not whole: {} of {} bytes have come", id,
                               info->offset, info->length));
    }
    if (std::ranges::find(info->scans, scan_id) != info->scans.end()) return absl::OkStatus();
    info->scans.emplace_back(scan_id);
    return WriteNotes(files, *info);
  }

  absl::StatusOr<fs::path> PathOf(std::string_view owner, std::string_view id) override {
    const Files files = FilesOf(owner, id);
    const auto info = Look(files);
    if (!info || !info->whole()) return NotFound(id);
    return files.video;
  }

  void Sweep(const std::function<UploadNeed(const std::string& scan_id)>& need) override {
    for (const Files& files : All()) {
      const auto info = Look(files);
      if (!info) {
        DeleteHalf(files);
        continue;
      }
      UploadNeed most = info->scans.empty() ? UploadNeed::kMaybe : UploadNeed::kNone;
      for (const std::string& scan : info->scans) most = std::max(most, need(scan));
      const bool stays = most == UploadNeed::kMaybe && SystemClock::now() < info->expires;
      if (most == UploadNeed::kSure || stays) continue;
      const Descriptor file = OpenVideo(files);
      if (!file.open() || flock(file.number(), LOCK_EX | LOCK_NB) != 0) continue;
      const MutexLock lock(mutex_);
      const Descriptor other_workers = Lock();
      // A scan may have claimed it meanwhile, or another worker deleted it and somebody begun anew.
      const auto now = Look(files);
      if (!now || now->scans != info->scans || now->offset != info->offset) continue;
      Delete(files);
      spdlog::info("upload {} is deleted: {}", info->id,
                   most == UploadNeed::kNone ? "its scans are made" : "it is too old");
    }
  }

  static absl::Status MakeFolder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder.parent_path(), error);
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
      return OutputError("cannot make", folder, errno);
    }
    struct stat about {};
    if (lstat(folder.c_str(), &about) != 0) return OutputError("cannot look at", folder, errno);
    if (S_ISDIR(about.st_mode) && about.st_uid == geteuid() && (about.st_mode & 077) == 0) {
      return absl::OkStatus();
    }
    return Error(Reason::kOutputUnwritable,
                 fmt::format("'{}' is no folder for this user alone", folder.string()));
  }

 private:
  absl::Status Check(std::string_view id, std::int64_t length) const {
    if (!IsId(id)) {
      return Error(Reason::kInvalidOption,
                   "an upload's id has 1 to 128 of the characters A-Z a-z 0-9 . _ - without a "
                   "leading dot");
    }
    if (length <= 0) return Error(Reason::kInvalidOption, "an upload has at least one byte");
    if (length <= limits_.max_bytes) return absl::OkStatus();
    return Error(Reason::kLimitExceeded, fmt::format("an upload may have {} bytes; this has {}",
                                                     limits_.max_bytes, length));
  }

  absl::Status CheckRoom(std::string_view owner, std::int64_t length) const {
    std::int64_t all = length;
    std::int64_t own = length;
    int count = 0;
    for (const Files& files : All()) {
      const auto info = Look(files);
      if (!info) continue;
      all += info->length;
      if (info->owner != owner) continue;
      own += info->length;
      ++count;
    }
    if (own > limits_.owner_bytes || count >= limits_.owner_count) {
      return Error(ServiceReason::kQuotaExceeded,
                   fmt::format("{} uploads are kept already, and they may have {} bytes in all; "
                               "scan or delete some",
                               count, limits_.owner_bytes));
    }
    if (all <= limits_.total_bytes) return absl::OkStatus();
    return Error(Reason::kDiskFull,
                 "as much is uploaded as the worker has room for; try again later");
  }

  Files FilesOf(std::string_view owner, std::string_view id) const {
    const std::string key = Sha256Hex(fmt::format("{}/{}", owner, id)).substr(0, kKeyDigits);
    return FilesOf(key);
  }
  Files FilesOf(std::string_view key) const {
    return {folder_ / fmt::format("{}{}", key, kVideo), folder_ / fmt::format("{}{}", key, kNotes)};
  }

  std::vector<Files> All() const {
    std::vector<Files> all;
    std::error_code error;
    for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
         entry.increment(error)) {
      const fs::path& path = entry->path();
      if (path.extension() == kVideo) all.push_back(FilesOf(path.stem().string()));
    }
    return all;
  }

  static Descriptor OpenVideo(const Files& files) {
    return Descriptor(open(files.video.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  }

  /// Held while notes change: other workers may have the folder, too.
  Descriptor Lock() const {
    Descriptor file(
        open((folder_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.open()) flock(file.number(), LOCK_EX);
    return file;
  }

  /// Not waited for: what a power cut takes is brought again.
  static absl::Status WriteNotes(const Files& files, const UploadInfo& info) {
    const nlohmann::json notes = {
        {"id", info.id}, {"owner", info.owner}, {"length", info.length}, {"scans", info.scans}};
    const std::string text = notes.dump();
    const fs::path part = files.notes.string() + ".part";
    const Descriptor file(
        open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
    const auto size = static_cast<ssize_t>(text.size());
    if (!file.open() || write(file.number(), text.data(), text.size()) != size ||
        rename(part.c_str(), files.notes.c_str()) != 0) {
      return OutputError("cannot write", files.notes, errno);
    }
    return absl::OkStatus();
  }

  /// What is there; nothing when it is not there whole.
  std::optional<UploadInfo> Look(const Files& files) const {
    // Opened: of a file that is not, a network's file system may tell what it knew a minute ago.
    const Descriptor video(
        open(files.video.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat about {};
    if (!video.open() || fstat(video.number(), &about) != 0 || !S_ISREG(about.st_mode)) {
      return std::nullopt;
    }
    std::ifstream file(files.notes);
    const auto notes = nlohmann::json::parse(file, nullptr, false);
    if (!notes.is_object()) return std::nullopt;
    UploadInfo info{.id = notes.value("id", ""),
                    .owner = notes.value("owner", ""),
                    .length = notes.value("length", std::int64_t{0}),
                    .offset = about.st_size,
                    .expires = SystemClock::from_time_t(about.st_mtime) + limits_.age,
                    .scans = notes.value("scans", std::vector<std::string>())};
    return info.length > 0 && info.offset <= info.length ? std::optional(std::move(info))
                                                         : std::nullopt;
  }

  static void Delete(const Files& files) {
    unlink(files.notes.c_str());
    unlink(files.video.c_str());
  }

  /// What a worker left that died between an upload's two files; another may be making it now.
  static void DeleteHalf(const Files& files) {
    constexpr auto kBeingMade = std::chrono::minutes(10);
    struct stat about {};
    if (lstat(files.video.c_str(), &about) == 0 &&
        SystemClock::now() - SystemClock::from_time_t(about.st_mtime) > kBeingMade) {
      Delete(files);
    }
  }

  const fs::path folder_;
  const UploadLimits limits_;
  Mutex mutex_;  // the lock of the folder is one of the process
};

}  // namespace

absl::StatusOr<std::unique_ptr<UploadStore>> OpenUploadStore(fs::path folder,
                                                             const UploadLimits& limits) {
  GLINT_RETURN_IF_ERROR(FolderUploads::MakeFolder(folder));
  return std::make_unique<FolderUploads>(std::move(folder), limits);
}

}  // namespace glint
