// SPDX-License-Identifier: Apache-2.0
#include "api/url.h"

#include <fmt/format.h>

#include <algorithm>

#include "glint/error.h"
#include "http/url.h"
#include "scan/request_check.h"

namespace glint {
namespace {

bool IsPrintable(char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; }

}  // namespace

std::string_view UploadIdOf(std::string_view address) {
  if (!address.starts_with(kUploadScheme)) return "";
  address.remove_prefix(kUploadScheme.size());
  return IsScanId(address) ? address : "";
}

absl::StatusOr<std::string> CheckVideoUrl(std::string_view text) {
  const auto wrong = [](std::string_view what) { return Error(Reason::kInvalidOption, what); };
  if (text.empty()) return wrong("is empty; give the http(s) URL of a video");
  if (text.size() > kMaxUrlBytes) {
    return wrong(fmt::format("has {} bytes; it may have {}", text.size(), kMaxUrlBytes));
  }
  if (!std::ranges::all_of(text, IsPrintable)) {
    return wrong("holds a space or control character; write it percent-encoded");
  }
  if (text.starts_with(kUploadScheme)) {
    if (UploadIdOf(text).empty()) return wrong("names no upload; it must look like upload://ID");
    return std::string(text);
  }
  const auto url = Url::Parse(text);
  if (!url.ok()) return wrong("is no URL; it must look like https://host/path");
  if (url->scheme() != "http" && url->scheme() != "https") {
    return wrong("must start with http:// or https://");
  }
  // "https:///path" is read as "https://path" by libcurl; nobody means that.
  if (text.find(":///") == url->scheme().size()) return wrong("names no host");
  if (url->has_user_info()) return wrong("must hold no user name and password");
  return url->Shown();
}

}  // namespace glint
