// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>
#include <utility>

#include "base/status_macros.h"
#include "glint/error.h"
#include "glint/fetcher.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

/// The input itself: nothing is copied, nothing is deleted.
class LocalFile final : public FetchedFile {
 public:
  explicit LocalFile(fs::path path) : path_(std::move(path)) {}
  const fs::path& path() const override { return path_; }

 private:
  fs::path path_;
};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The scheme of a URL in lower case; empty for a path. A colon alone makes no URL, because it may
/// stand in a file's name: it takes "scheme://", or "file:".
std::string SchemeOf(std::string_view input) {
  const std::size_t colon = input.find(':');
  if (colon == std::string_view::npos || colon == 0 || !IsLetter(input[0])) return "";
  std::string scheme(input.substr(0, colon));
  for (char& c : scheme) {
    if (!IsLetter(c) && !(c >= '0' && c <= '9') && c != '+' && c != '-' && c != '.') return "";
    c = Lower(c);
  }
  const bool is_url = scheme == "file" || input.substr(colon + 1).starts_with("//");
  return is_url ? scheme : "";
}

/// %XX replaced by bytes; an error when an escape is broken or means a zero byte.
absl::StatusOr<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2 || value == 0) {
      return Error(Reason::kInvalidOption,
                   fmt::format("'{}' has a broken %-escape at character {}; write a percent sign "
                               "in a file: URL as %25",
                               text, i + 1));
    }
    decoded += static_cast<char>(value);
    i += 2;
  }
  return decoded;
}

/// The path that a file: URL (RFC 8089) names: file:/p, file:///p or file://localhost/p.
absl::StatusOr<std::string> PathOfFileUrl(std::string_view url) {
  std::string_view rest = url.substr(std::string_view("file:").size());
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view host = rest.substr(0, slash);
    if (!host.empty() && !std::ranges::equal(host, std::string_view("localhost"), {}, Lower)) {
      return Error(Reason::kInvalidOption,
                   fmt::format("'{}' names the host '{}'; a file: URL may only name this machine: "
                               "file:///path",
                               url, host));
    }
    rest.remove_prefix(slash);
  }
  if (!rest.starts_with('/')) {
    return Error(Reason::kInvalidOption,
                 fmt::format("'{}' has no absolute path; write file:///path", url));
  }
  return PercentDecoded(rest);
}

absl::StatusOr<std::string> PathOf(std::string_view input) {
  if (input.empty()) return Error(Reason::kInvalidOption, "the input is empty; name a video file");
  if (input.find('\0') != std::string_view::npos) {
    return Error(Reason::kInvalidOption, "the input's name holds a zero byte; name a video file");
  }
  const std::string scheme = SchemeOf(input);
  if (scheme.empty()) return std::string(input);
  if (scheme == "file") return PathOfFileUrl(input);
  return Error(Reason::kInvalidOption,
               fmt::format("'{}': {}: URLs are not accepted by this build; download the video and "
                           "give its path",
                           input, scheme));
}

absl::Status OpenFailure(const std::string& path, int error) {
  const std::string why = std::generic_category().message(error);
  if (error == ENOENT || error == ENOTDIR) {
    return Error(Reason::kInputNotFound, fmt::format("'{}' does not exist; check the path", path));
  }
  if (error == EACCES || error == EPERM) {
    return Error(
        Reason::kInputUnreadable,
        fmt::format("'{}' may not be read ({}); give this user the right to read it", path, why));
  }
  return Error(Reason::kInputUnreadable, fmt::format("'{}' cannot be opened: {}", path, why));
}

/// OK when the path is a regular file that this process may read. Opens it, because only that shows
/// the rights; without blocking, because a named pipe would wait for a writer for ever.
absl::Status CheckReadable(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return OpenFailure(path, errno);
  struct stat info {};
  const int failed = fstat(file, &info);
  const int error = errno;
  close(file);
  if (failed != 0) return OpenFailure(path, error);
  if (S_ISDIR(info.st_mode)) {
    return Error(Reason::kInputUnreadable,
                 fmt::format("'{}' is a directory; give a video file in it", path));
  }
  if (!S_ISREG(info.st_mode)) {
    return Error(Reason::kInputUnreadable,
                 fmt::format("'{}' is a pipe or device; save the video as a file first", path));
  }
  return absl::OkStatus();
}

class FileFetcher final : public Fetcher {
 public:
  absl::StatusOr<std::unique_ptr<FetchedFile>> Fetch(std::string_view input,
                                                     const FetchProgress& /*progress*/,
                                                     const CancelToken& cancel) override {
    GLINT_RETURN_IF_ERROR(cancel.Check());
    GLINT_ASSIGN_OR_RETURN(const auto path, PathOf(input));
    GLINT_RETURN_IF_ERROR(CheckReadable(path));
    return std::make_unique<LocalFile>(path);
  }
};

}  // namespace

std::unique_ptr<Fetcher> MakeFileFetcher() { return std::make_unique<FileFetcher>(); }

}  // namespace glint
