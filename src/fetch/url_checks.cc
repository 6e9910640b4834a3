// SPDX-License-Identifier: Apache-2.0
#include "fetch/url_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/status_macros.h"
#include "glint/error.h"
#include "http/retry.h"

namespace glint {
namespace {

constexpr std::array kRedirects = {301, 302, 303, 307, 308};

struct Magic {
  std::string_view begin;
  std::string_view what;
};

// Text is compared without regard to case and leading blanks, the rest exactly.
constexpr std::array kTexts = {
    Magic{"<!doctype html", "an HTML page"},
    Magic{"<html", "an HTML page"},
    Magic{"<head", "an HTML page"},
    Magic{"<body", "an HTML page"},
    Magic{"<mpd", "a DASH playlist"},
    Magic{"<?xml", "an XML document"},
    Magic{"<error", "an XML document"},
    Magic{"#extm3u", "an HLS playlist"},
    Magic{"ffconcat", "a concat playlist"},
    Magic{"[playlist]", "a playlist"},
    Magic{"v=0", "an SDP description"},
    Magic{"{", "JSON"},
    Magic{"[{", "JSON"},
};
constexpr std::array kBinaries = {
    Magic{"\x89PNG", "a PNG picture"},
    Magic{"\xff\xd8\xff", "a JPEG picture"},
    Magic{"GIF8", "a GIF picture"},
    Magic{"%PDF", "a PDF document"},
    Magic{"PK\x03\x04", "a ZIP archive"},
    Magic{"\x1f\x8b", "a gzip archive"},
    Magic{"Rar!", "a RAR archive"},
    Magic{"7z\xbc\xaf", "a 7z archive"},
    Magic{"\x7f"
          "ELF",
          "a program"},
};

bool BeginsWith(std::string_view text, std::string_view lower_begin) {
  return text.size() >= lower_begin.size() &&
         std::ranges::equal(text.substr(0, lower_begin.size()), lower_begin,
                            [](unsigned char a, char b) { return std::tolower(a) == b; });
}

absl::Status Failed(const Url& url, std::string_view what) {
  return Error(Reason::kDownloadFailed, fmt::format("{}: {}", url.Shown(), what));
}

absl::Status CheckStatus(const HttpResponse& head, const Url& url) {
  const int status = head.status;
  if (status == 200 || status == 206) return absl::OkStatus();
  if (status == 404 || status == 410) {
    return Error(Reason::kInputNotFound,
                 fmt::format("{} does not exist (HTTP {}); check the URL", url.Shown(), status));
  }
  if (status == 401 || status == 403) {
    return Error(Reason::kInputUnreadable,
                 fmt::format("{} may not be read (HTTP {}); a signed URL may have expired",
                             url.Shown(), status));
  }
  absl::Status failed = Failed(url, fmt::format("the server answers with HTTP {}", status));
  return IsTransientStatus(status) || status == 416 ? Transient(std::move(failed)) : failed;
}

}  // namespace

absl::Status CheckHop(const Url& url, const Url* from, const AddressPolicy& policy) {
  const auto refused = [&](std::string_view why) {
    return Error(Reason::kUrlNotAllowed, fmt::format("{}: {}", url.Shown(), why));
  };
  if (url.scheme() != "http" && url.scheme() != "https") {
    return refused("only http and https URLs are downloaded");
  }
  if (url.has_user_info()) {
    return refused("a URL with a user name or password is refused; use a signed URL instead");
  }
  if (from != nullptr && from->scheme() == "https" && url.scheme() == "http") {
    return refused("a redirect from https down to http is refused");
  }
  return In(url.Shown(), policy.CheckUrl(url));
}

absl::StatusOr<std::optional<Url>> RedirectOf(const HttpResponse& head, const Url& url) {
  if (std::ranges::find(kRedirects, head.status) == kRedirects.end()) return std::nullopt;
  const auto location = url.Resolve(head.Header("Location"));
  if (head.Header("Location").empty() || !location.ok()) {
    return Failed(url, fmt::format("HTTP {} without a usable Location", head.status));
  }
  return *location;
}

std::optional<std::int64_t> DeclaredLength(const HttpResponse& head) {
  const std::string_view digits = head.Header("Content-Length");
  std::int64_t length = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc() || end != digits.data() + digits.size() || length < 0) {
    return std::nullopt;
  }
  return length;
}

absl::Status CheckAnswer(const HttpResponse& head, const Url& url, std::int64_t have,
                         std::int64_t max_bytes) {
  GLINT_RETURN_IF_ERROR(CheckStatus(head, url));
  const std::string_view encoding = head.Header("Content-Encoding");
  if (!encoding.empty() && encoding != "identity") {
    return Failed(url,
                  "the server packs the file (Content-Encoding) though that was not asked "
                  "for; serve it as it is");
  }
  const std::int64_t length = DeclaredLength(head).value_or(0);
  const std::int64_t before = head.status == 206 ? have : 0;
  if (length > max_bytes - before) {
    return Error(Reason::kLimitExceeded, fmt::format("{} has {} bytes; at most {} are downloaded",
                                                     url.Shown(), before + length, max_bytes));
  }
  return absl::OkStatus();
}

std::optional<std::string_view> WhatInstead(std::span<const std::byte> first) {
  const std::string_view bytes(reinterpret_cast<const char*>(first.data()), first.size());
  for (const Magic& magic : kBinaries) {
    if (bytes.starts_with(magic.begin)) return magic.what;
  }
  std::string_view text = bytes;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  text.remove_prefix(std::min(begin, text.size()));
  for (const Magic& magic : kTexts) {
    if (BeginsWith(text, magic.begin)) return magic.what;
  }
  if (text.empty()) return "nothing but blanks";
  const bool readable = std::ranges::all_of(text, [](unsigned char c) {
    return (c >= 0x20 && c < 0x7f) || c == '\t' || c == '\r' || c == '\n';
  });
  if (readable) return "text";
  return std::nullopt;
}

absl::Status CheckContent(std::span<const std::byte> first, const Url& url) {
  if (first.empty()) {
    return Error(Reason::kNotAVideo,
                 fmt::format("{}: the server sends an empty file", url.Shown()));
  }
  const auto instead = WhatInstead(first);
  if (!instead) return absl::OkStatus();
  return Error(Reason::kNotAVideo,
               fmt::format("{}: what comes is {}, not a video; give the URL of the video file "
                           "itself",
                           url.Shown(), *instead));
}

}  // namespace glint
