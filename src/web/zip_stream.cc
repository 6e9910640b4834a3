// SPDX-License-Identifier: Apache-2.0
#include "web/zip_stream.h"

#include <fmt/format.h>
#include <minizip/zip.h>

#include <array>
#include <cstring>
#include <ctime>
#include <fstream>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

/// What minizip writes. It goes back to the header of the file that it has written last, and never
/// further; what lies before that can be handed out.
struct Output {
  ZPOS64_T begins = 0;  // of `bytes` in the archive
  ZPOS64_T at = 0;
  std::string bytes;
};

Output& OutputOf(void* opaque) { return *static_cast<Output*>(opaque); }

void* Open(void* opaque, const void* /*name*/, int /*mode*/) { return opaque; }

uLong Read(void* /*opaque*/, void* /*stream*/, void* /*into*/, uLong /*size*/) { return 0; }

uLong Write(void* opaque, void* /*stream*/, const void* from, uLong size) {
  Output& out = OutputOf(opaque);
  if (out.at < out.begins) return 0;
  const auto at = static_cast<std::size_t>(out.at - out.begins);
  if (out.bytes.size() < at + size) out.bytes.resize(at + size);
  std::memcpy(out.bytes.data() + at, from, size);
  out.at += size;
  return size;
}

ZPOS64_T Tell(void* opaque, void* /*stream*/) { return OutputOf(opaque).at; }

long Seek(void* opaque, void* /*stream*/, ZPOS64_T offset, int origin) {
  Output& out = OutputOf(opaque);
  const ZPOS64_T end = out.begins + out.bytes.size();
  const ZPOS64_T from = origin == ZLIB_FILEFUNC_SEEK_CUR   ? out.at
                        : origin == ZLIB_FILEFUNC_SEEK_END ? end
                                                           : 0;
  out.at = from + offset;
  return out.at >= out.begins && out.at <= end ? 0 : -1;
}

int Close(void* /*opaque*/, void* /*stream*/) { return 0; }
int TestError(void* /*opaque*/, void* /*stream*/) { return 0; }

absl::Status Failed(const std::string& name, int code) {
  return Error(Reason::kInternal, fmt::format("'{}' could not be put into a zip ({})", name, code));
}

class MiniZip final : public ZipStream {
 public:
  explicit MiniZip(std::vector<Entry> entries) : entries_(std::move(entries)) {
    zlib_filefunc64_def functions{Open, Read, Write, Tell, Seek, Close, TestError, &output_};
    zip_ = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
  }
  ~MiniZip() override {
    if (zip_ != nullptr) zipClose(zip_, nullptr);
  }

  absl::StatusOr<std::string> Next() override {
    if (zip_ == nullptr) return std::string();
    if (next_ < entries_.size()) {
      GLINT_RETURN_IF_ERROR(Add(entries_[next_++]));
    } else if (const int code = zipClose(std::exchange(zip_, nullptr), nullptr); code != ZIP_OK) {
      return Failed("the list of its files", code);
    }
    output_.begins += output_.bytes.size();
    return std::exchange(output_.bytes, {});
  }

 private:
  absl::Status Add(const Entry& entry) {
    std::ifstream file(entry.file, std::ios::binary);
    if (!file) {
      return Error(Reason::kInputNotFound, fmt::format("'{}' cannot be read", entry.name));
    }
    constexpr int kStored = 0;
    constexpr uLong kUtf8 = 1 << 11;
    constexpr uLong kMadeOnUnix = (3 << 8) | 20;
    zip_fileinfo info{};
    const std::time_t now = std::time(nullptr);
    std::tm time{};
    gmtime_r(&now, &time);
    info.tmz_date = {static_cast<uInt>(time.tm_sec),  static_cast<uInt>(time.tm_min),
                     static_cast<uInt>(time.tm_hour), static_cast<uInt>(time.tm_mday),
                     static_cast<uInt>(time.tm_mon),  static_cast<uInt>(time.tm_year + 1900)};
    info.external_fa = 0100644UL << 16;
    int code =
        zipOpenNewFileInZip4_64(zip_, entry.name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                                kStored, 0, 0, -15, 8, 0, nullptr, 0, kMadeOnUnix, kUtf8, 0);
    std::array<char, 64 << 10> piece{};
    while (code == ZIP_OK && file) {
      file.read(piece.data(), piece.size());
      code = zipWriteInFileInZip(zip_, piece.data(), static_cast<unsigned>(file.gcount()));
    }
    if (code == ZIP_OK) code = zipCloseFileInZip(zip_);
    return code == ZIP_OK ? absl::OkStatus() : Failed(entry.name, code);
  }

  const std::vector<Entry> entries_;
  std::size_t next_ = 0;
  Output output_;
  zipFile zip_ = nullptr;
};

}  // namespace

std::unique_ptr<ZipStream> MakeZipStream(std::vector<ZipStream::Entry> entries) {
  return std::make_unique<MiniZip>(std::move(entries));
}

}  // namespace glint
