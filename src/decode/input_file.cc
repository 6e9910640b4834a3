// SPDX-License-Identifier: Apache-2.0
#include "decode/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/status_macros.h"
#include "glint/error.h"

namespace glint {
namespace {

constexpr std::size_t kHeadBytes = 4096;

std::string ErrnoText(int code) { return std::generic_category().message(code); }

std::string_view Text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t BigEndian(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

absl::Status CannotOpen(std::string_view name, int code) {
  if (code == ENOENT || code == ENOTDIR) {
    return Error(Reason::kInputNotFound,
                 fmt::format("{} does not exist; check the path and its spelling", name));
  }
  return Error(Reason::kInputUnreadable,
               fmt::format("{} cannot be read ({}); check its permissions", name, ErrnoText(code)));
}

absl::Status CheckRegular(std::string_view name, const struct stat& about) {
  if (S_ISREG(about.st_mode)) return absl::OkStatus();
  if (S_ISDIR(about.st_mode)) {
    return Error(Reason::kNotAVideo,
                 fmt::format("{} is a directory; name a video file in it", name));
  }
  return Error(Reason::kNotAVideo,
               fmt::format("{} is no regular file (a pipe, socket or device); save the video to a "
                           "file first",
                           name));
}

absl::Status NotAVideo(std::string_view name, std::span<const std::uint8_t> head) {
  const std::string_view other = SniffOther(head);
  if (other == "a playlist") {
    return Error(
        Reason::kNotAVideo,
        fmt::format("{} is a playlist, and playlists are not accepted; give the video file "
                    "itself",
                    name));
  }
  return Error(Reason::kNotAVideo,
               fmt::format("{} is {}; give an MP4, MOV, MKV, WebM or AVI video", name,
                           other.empty() ? "no video that glint knows" : other));
}

// ISO boxes: 32-bit size, type, and a 64-bit size when the first is 1; size 0 reaches to the end.
bool BoxesEndEarly(const OpenFile& file) {
  std::int64_t offset = 0;
  std::array<std::uint8_t, 16> box{};
  while (offset < file.bytes()) {
    const std::ptrdiff_t got = file.ReadAt(offset, box);
    if (got < 8) return true;
    std::uint64_t size = BigEndian(std::span(box).first(4));
    if (size == 0) return false;
    if (size == 1) {
      if (got < 16) return true;
      size = BigEndian(std::span(box).last(8));
    }
    if (size < 8) return false;  // not a box: junk behind the last one
    if (size > static_cast<std::uint64_t>(file.bytes() - offset)) return true;
    offset += static_cast<std::int64_t>(size);
  }
  return false;
}

// An EBML number: as many leading zero bits as bytes follow. Unknown sizes have all bits set.
struct EbmlSize {
  std::uint64_t value;
  std::size_t length;
  bool known;
};
std::optional<EbmlSize> ReadEbmlSize(std::span<const std::uint8_t> bytes) {
  if (bytes.empty() || bytes[0] == 0) return std::nullopt;
  const auto length = static_cast<std::size_t>(std::countl_zero(bytes[0])) + 1;
  if (bytes.size() < length) return std::nullopt;
  const std::uint64_t mask = (std::uint64_t{1} << (7 * length)) - 1;
  const std::uint64_t value = BigEndian(bytes.first(length)) & mask;
  return EbmlSize{value, length, value != mask};
}

// The EBML header is followed by one Segment (ID 18 53 80 67) that holds everything.
bool SegmentEndsEarly(const OpenFile& file) {
  std::array<std::uint8_t, 12> bytes{};
  if (file.ReadAt(4, bytes) < 12) return true;
  const auto header = ReadEbmlSize(bytes);
  if (!header || !header->known || header->value > kHeadBytes) return false;
  const auto offset = static_cast<std::int64_t>(4 + header->length + header->value);
  if (file.ReadAt(offset, bytes) < 12) return true;
  if (BigEndian(std::span(bytes).first(4)) != 0x18538067) return false;
  const auto segment = ReadEbmlSize(std::span(bytes).subspan(4));
  if (!segment || !segment->known) return false;
  const auto start = static_cast<std::uint64_t>(offset) + 4 + segment->length;
  return start + segment->value > static_cast<std::uint64_t>(file.bytes());
}

bool RiffEndsEarly(const OpenFile& file) {
  std::array<std::uint8_t, 8> head{};
  if (file.ReadAt(0, head) < 8) return true;
  std::array<std::uint8_t, 4> size{};
  std::reverse_copy(head.begin() + 4, head.end(), size.begin());
  return static_cast<std::int64_t>(BigEndian(size)) + 8 > file.bytes();
}

}  // namespace

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::ptrdiff_t OpenFile::ReadAt(std::int64_t offset, std::span<std::uint8_t> out) const {
  std::ptrdiff_t got = 0;
  do {
    got = pread(descriptor_, out.data(), out.size(), offset);
  } while (got < 0 && errno == EINTR);
  return got < 0 ? -errno : got;
}

std::optional<Container> SniffContainer(std::span<const std::uint8_t> head) {
  const std::string_view text = Text(head);
  if (text.starts_with("\x1A\x45\xDF\xA3")) return Container::kMatroska;
  if (text.starts_with("RIFF") && text.size() >= 12 && text.substr(8, 4) == "AVI ") {
    return Container::kAvi;
  }
  // A QuickTime file may start with any of these boxes, an MP4 with ftyp.
  constexpr std::array<std::string_view, 9> kBoxes = {"ftyp", "moov", "mdat", "free", "skip",
                                                      "wide", "pnot", "styp", "moof"};
  if (text.size() >= 8 && std::ranges::find(kBoxes, text.substr(4, 4)) != kBoxes.end()) {
    return Container::kMov;
  }
  return std::nullopt;
}

std::string_view SniffOther(std::span<const std::uint8_t> head) {
  std::string_view text = Text(head);
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  const std::string_view body = start == std::string_view::npos ? "" : text.substr(start);
  for (const std::string_view playlist :
       {"#EXTM3U", "ffconcat", "v=0", "[playlist]", "[Reference]", "file '", "file \""}) {
    if (body.starts_with(playlist)) return "a playlist";
  }
  for (const std::string_view tag : {"<MPD", "<smil", "<SmoothStreamingMedia", "<playlist"}) {
    if (body.starts_with('<') && body.find(tag) != std::string_view::npos) return "a playlist";
  }
  const bool is_text = !text.empty() && std::ranges::all_of(text, [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
  if (is_text) return "a text file";
  if (text.starts_with("\x89PNG") || text.starts_with("\xFF\xD8\xFF") || text.starts_with("GIF8")) {
    return "a still picture";
  }
  return "";
}

bool EndsEarly(const OpenFile& file, Container container) {
  switch (container) {
    case Container::kMov:
      return BoxesEndEarly(file);
    case Container::kMatroska:
      return SegmentEndsEarly(file);
    case Container::kAvi:
      return RiffEndsEarly(file);
  }
  return false;
}

std::string QuotedName(const std::filesystem::path& path) {
  return fmt::format("'{}'", path.string());
}

absl::StatusOr<OpenFile> OpenRegularFile(const std::filesystem::path& path,
                                         const VideoLimits& limits) {
  const std::string name = QuotedName(path);
  struct stat about {};
  // Looked at before opening, because opening a device can have effects, and again afterwards,
  // because the name may lead elsewhere by then. O_NONBLOCK: a pipe must not make us wait.
  if (stat(path.c_str(), &about) != 0) return CannotOpen(name, errno);
  GLINT_RETURN_IF_ERROR(CheckRegular(name, about));
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return CannotOpen(name, errno);
  const int failed = fstat(descriptor, &about) == 0 ? 0 : errno;
  OpenFile file(descriptor, about.st_size);
  if (failed != 0) return CannotOpen(name, failed);
  GLINT_RETURN_IF_ERROR(CheckRegular(name, about));
  if (about.st_size == 0) {
    return Error(Reason::kNotAVideo,
                 fmt::format("{} is empty; record or copy the video again", name));
  }
  if (about.st_size > limits.max_bytes) {
    return Error(Reason::kLimitExceeded,
                 fmt::format("{} has {} bytes, more than the {} allowed; shorten the video", name,
                             about.st_size, limits.max_bytes));
  }
  return file;
}

absl::StatusOr<InputFile> InspectFile(std::string name, OpenFile file) {
  std::array<std::uint8_t, kHeadBytes> buffer{};
  const std::ptrdiff_t got = file.ReadAt(0, buffer);
  if (got < 0) return CannotOpen(name, static_cast<int>(-got));
  const auto head = std::span(buffer).first(static_cast<std::size_t>(got));
  const std::optional<Container> container = SniffContainer(head);
  if (!container) return NotAVideo(name, head);
  const bool ends_early = EndsEarly(file, *container);
  return InputFile{std::move(name), std::move(file), *container, ends_early};
}

}  // namespace glint
