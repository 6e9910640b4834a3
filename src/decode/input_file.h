// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "glint/video.h"

namespace glint {

/// The containers that glint accepts.
enum class Container {
  kMov,       ///< MP4, QuickTime, 3GP: ISO base media
  kMatroska,  ///< Matroska, WebM
  kAvi,
};

/// A file that is open for reading at any position; closes itself.
class OpenFile {
 public:
  OpenFile(int descriptor, std::int64_t bytes) : descriptor_(descriptor), bytes_(bytes) {}
  OpenFile(OpenFile&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(other.bytes_) {}
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();

  int descriptor() const { return descriptor_; }
  std::int64_t bytes() const { return bytes_; }
  /// Reads up to `out.size()` bytes at `offset`. Returns how many were read, 0 at the end, or minus
  /// the errno.
  std::ptrdiff_t ReadAt(std::int64_t offset, std::span<std::uint8_t> out) const;

 private:
  int descriptor_;
  std::int64_t bytes_;
};

/// A file that starts like a video.
struct InputFile {
  std::string name;  ///< the path as given, in quotes, for messages
  OpenFile file;
  Container container;
  bool ends_early;  ///< its outermost structure announces more bytes than there are
};

/// The path in quotes, for messages.
std::string QuotedName(const std::filesystem::path& path);

/// Opens a regular local file of 1 to `limits.max_bytes` bytes; reads nothing of it.
/// Errors: INPUT_NOT_FOUND, INPUT_UNREADABLE, NOT_A_VIDEO, LIMIT_EXCEEDED.
absl::StatusOr<OpenFile> OpenRegularFile(const std::filesystem::path& path,
                                         const VideoLimits& limits);

/// Looks at the first bytes of a file, which must be those of an accepted container, and at its
/// outermost structure. @param name  for messages
/// Errors: INPUT_UNREADABLE, NOT_A_VIDEO.
absl::StatusOr<InputFile> InspectFile(std::string name, OpenFile file);

/// The container that a file starting with these bytes is, or nothing.
std::optional<Container> SniffContainer(std::span<const std::uint8_t> head);

/// What a file is that is no accepted container, e.g. "a playlist"; "" when it is not known.
std::string_view SniffOther(std::span<const std::uint8_t> head);

/// Whether the container's top-level boxes, segment or chunks reach beyond the end of the file.
bool EndsEarly(const OpenFile& file, Container container);

}  // namespace glint
