// SPDX-License-Identifier: Apache-2.0
#include "workers/kept_results.h"

#include <absl/strings/escaping.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/catch_exceptions.h"
#include "base/descriptor.h"
#include "base/status_macros.h"
#include "http/digest.h"
#include "store/durable_file.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A file is the objects' contents one after the other, the index as JSON, the index's size in eight
// bytes, and the mark. It gets its name when it is whole and on the disk.
constexpr std::string_view kMark = "glintkept1";
constexpr std::string_view kWhole = ".result";
constexpr std::string_view kBegun = ".begun";

/// Reads a part of a file. @return false when it is shorter
bool ReadAt(int file, std::span<std::byte> into, std::int64_t offset) {
  while (!into.empty()) {
    const ssize_t got = pread(file, into.data(), into.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
  return true;
}

std::string Base64(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

/// The index of a whole file; discarded JSON when it is none.
Json ReadIndex(const fs::path& path) {
  Json none(Json::value_t::discarded);
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.open()) return none;
  const std::int64_t size = lseek(file.number(), 0, SEEK_END);
  constexpr std::int64_t kTail = sizeof(std::int64_t) + kMark.size();
  std::array<std::byte, kTail> tail{};
  if (size < kTail || !ReadAt(file.number(), tail, size - kTail)) return none;
  std::int64_t length = 0;
  std::memcpy(&length, tail.data(), sizeof(length));
  if (std::memcmp(tail.data() + sizeof(length), kMark.data(), kMark.size()) != 0) return none;
  if (length < 0 || length > size - kTail) return none;
  std::string text(static_cast<std::size_t>(length), '\0');
  if (!ReadAt(file.number(), std::as_writable_bytes(std::span(text)), size - kTail - length)) {
    return none;
  }
  return Json::parse(text, nullptr, false);
}

/// The beginning of the names of a scan's files: "<scan>~<attempt>.result", with '%' for the '/'
/// behind an owner.
std::string StemOf(std::string scan_id) {
  std::ranges::replace(scan_id, '/', '%');
  return scan_id;
}

/// The scan whose file it is.
std::string ScanOf(const fs::path& path) {
  const std::string name = path.filename().string();
  std::string scan_id = name.substr(0, name.find('~'));
  std::ranges::replace(scan_id, '%', '/');
  return scan_id;
}

}  // namespace

std::int64_t KeptResult::bytes() const {
  std::int64_t bytes = 0;
  for (const Object& object : objects_) bytes += object.bytes;
  return bytes;
}

absl::StatusOr<std::vector<std::byte>> KeptResult::Read(const Object& object) const {
  if (!object.held.empty() || object.bytes == 0) return object.held;
  std::vector<std::byte> content(static_cast<std::size_t>(object.bytes));
  const Descriptor file(open(file_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open() || !ReadAt(file.number(), content, object.offset)) {
    return OutputError("cannot read the kept result", file_, errno);
  }
  return content;
}

absl::Status KeptResult::Take(const Json& index) {
  attempt_ = index.at("attempt").get<std::string>();
  finished_ = JobTime(std::chrono::microseconds(index.at("finished_us").get<std::int64_t>()));
  if (!absl::Base64Unescape(index.at("result").get<std::string>(), &result_)) {
    return Error(Reason::kInternal, "a kept result without what ends its job");
  }
  for (const Json& object : index.at("objects")) {
    objects_.push_back({.name = object.at("name"),
                        .content_type = object.at("type"),
                        .offset = object.at("offset"),
                        .bytes = object.at("bytes"),
                        .held = {}});
  }
  return absl::OkStatus();
}

void KeptResult::Discard() const {
  std::error_code ignored;
  if (on_disk_) fs::remove(file_, ignored);
}

ResultWriter::ResultWriter(fs::path folder, std::string stem)
    : folder_(std::move(folder)), stem_(std::move(stem)) {
  const MutexLock lock(mutex_);
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path path = folder_ / (stem_ + std::string(kBegun));
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file_ < 0) {
    const absl::Status nothing_to_read =
        HoldInMemory(OutputError("cannot keep a result in", folder_, errno));
    static_cast<void>(nothing_to_read);
    return;
  }
  flock(file_, LOCK_EX | LOCK_NB);  // for as long as this process lives
}

ResultWriter::~ResultWriter() {
  const MutexLock lock(mutex_);
  if (file_ < 0) return;
  std::error_code ignored;
  fs::remove(folder_ / (stem_ + std::string(kBegun)), ignored);
  close(file_);
}

absl::Status ResultWriter::Append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file_, bytes.data(), bytes.size(), size_);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return OutputError("cannot keep a result in", folder_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    size_ += written;
  }
  return absl::OkStatus();
}

/// What the file has is read back; what follows stays in memory.
absl::Status ResultWriter::HoldInMemory(const absl::Status& why) {
  spdlog::warn("a result is held in memory until it is stored: {}", Message(why));
  for (KeptResult::Object& object : objects_) {
    object.held.resize(static_cast<std::size_t>(object.bytes));
    if (!ReadAt(file_, object.held, object.offset)) return why;
  }
  if (file_ < 0) return absl::OkStatus();
  std::error_code ignored;
  fs::remove(folder_ / (stem_ + std::string(kBegun)), ignored);
  close(std::exchange(file_, -1));
  return absl::OkStatus();
}

absl::Status ResultWriter::Put(std::string_view name, std::span<const std::byte> content,
                               std::string_view content_type) {
  const MutexLock lock(mutex_);
  KeptResult::Object object{.name = std::string(name),
                            .content_type = std::string(content_type),
                            .offset = size_,
                            .bytes = std::ssize(content),
                            .held = {}};
  if (file_ >= 0) {
    if (const absl::Status written = Append(content); !written.ok()) {
      GLINT_RETURN_IF_ERROR(HoldInMemory(written));
    }
  }
  if (file_ < 0) object.held.assign(content.begin(), content.end());
  std::erase_if(objects_, [&](const auto& earlier) { return earlier.name == name; });
  objects_.push_back(std::move(object));
  return absl::OkStatus();
}

absl::Status ResultWriter::CloseFile(const Job& job, KeptResult& kept) {
  Json index = {
      {"scan_id", job.scan_id},         {"request_sha256", Sha256Hex(job.request)},
      {"attempt", kept.attempt_},       {"finished_us", kept.finished_.time_since_epoch().count()},
      {"result", Base64(kept.result_)}, {"objects", Json::array()}};
  for (const KeptResult::Object& object : objects_) {
    index["objects"].push_back({{"name", object.name},
                                {"type", object.content_type},
                                {"offset", object.offset},
                                {"bytes", object.bytes}});
  }
  std::string tail = index.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto length = static_cast<std::int64_t>(tail.size());
  tail.append(reinterpret_cast<const char*>(&length), sizeof(length));
  tail += kMark;
  GLINT_RETURN_IF_ERROR(Append(std::as_bytes(std::span(tail))));
  if (fsync(file_) != 0) return OutputError("cannot keep a result in", folder_, errno);
  const fs::path begun = folder_ / (stem_ + std::string(kBegun));
  kept.file_ = folder_ / (stem_ + std::string(kWhole));
  if (rename(begun.c_str(), kept.file_.c_str()) != 0) {
    return OutputError("cannot keep a result in", folder_, errno);
  }
  close(std::exchange(file_, -1));
  kept.on_disk_ = true;
  return SyncFolder(folder_);
}

absl::StatusOr<std::shared_ptr<const KeptResult>> ResultWriter::Finish(const Job& job,
                                                                       std::string result,
                                                                       JobTime now) {
  const MutexLock lock(mutex_);
  auto kept = std::make_shared<KeptResult>();
  kept->result_ = std::move(result);
  kept->attempt_ = stem_.substr(stem_.find('~') + 1);
  kept->finished_ = now;
  if (file_ >= 0) {
    const absl::Status closed = CloseFile(job, *kept);
    if (!closed.ok() && !kept->on_disk_) {
      GLINT_RETURN_IF_ERROR(HoldInMemory(closed));
    }
  }
  kept->objects_ = std::move(objects_);
  return kept;
}

std::unique_ptr<ResultWriter> KeptResults::Begin(const Job& job, std::string_view attempt) const {
  return std::unique_ptr<ResultWriter>(
      new ResultWriter(folder_, fmt::format("{}~{}", StemOf(job.scan_id), attempt)));
}

std::shared_ptr<const KeptResult> KeptResults::Find(const Job& job) const {
  std::shared_ptr<KeptResult> latest;
  const std::string request = Sha256Hex(job.request);
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != kWhole || ScanOf(entry->path()) != job.scan_id) continue;
    const Json index = ReadIndex(entry->path());
    if (!index.is_object() || index.value("request_sha256", "") != request) continue;
    auto kept = std::make_shared<KeptResult>();
    kept->file_ = entry->path();
    kept->on_disk_ = true;
    if (!CatchExceptions([&] { return kept->Take(index); }).ok()) continue;
    if (!latest || kept->finished_ > latest->finished_) latest = std::move(kept);
  }
  return latest;
}

void KeptResults::Sweep(JobStore& jobs) const {
  std::vector<fs::path> unwanted;
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == kBegun) {
      const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
      if (file.open() && flock(file.number(), LOCK_EX | LOCK_NB) == 0) unwanted.push_back(path);
    } else if (path.extension() == kWhole) {
      const auto job = jobs.Get(ScanOf(path));
      const bool unknown = FailureReasonOf(job.status()) == ServiceReason::kScanNotFound;
      if (unknown || (job.ok() && IsFinal(job->state))) unwanted.push_back(path);
    }
  }
  for (const fs::path& path : unwanted) fs::remove(path, error);
}

}  // namespace glint
