// SPDX-License-Identifier: Apache-2.0
#include "api/url.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "glint/error.h"

namespace glint {
namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using ParsedUrl = std::unique_ptr<CURLU, FreeUrl>;

/// A part of the URL; nothing when it has none.
std::optional<std::string> Part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, 0) != CURLUE_OK) return std::nullopt;
  std::string copy = text;
  curl_free(text);
  return copy;
}

bool IsPrintable(char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; }

}  // namespace

absl::StatusOr<std::string> CheckVideoUrl(std::string_view url) {
  const auto wrong = [](std::string_view what) { return Error(Reason::kInvalidOption, what); };
  if (url.empty()) return wrong("is empty; give the http(s) URL of a video");
  if (url.size() > kMostUrlBytes) {
    return wrong(fmt::format("has {} bytes; it may have {}", url.size(), kMostUrlBytes));
  }
  if (!std::ranges::all_of(url, IsPrintable)) {
    return wrong("holds a space or control character; write it percent-encoded");
  }
  const ParsedUrl parsed(curl_url());
  if (!parsed) return Error(Reason::kOutOfMemory, "memory is out");
  const std::string text(url);
  if (curl_url_set(parsed.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
      CURLUE_OK) {
    return wrong("is no URL; it must look like https://host/path");
  }
  const std::string scheme = Part(parsed.get(), CURLUPART_SCHEME).value_or("");
  if (scheme != "http" && scheme != "https") return wrong("must start with http:// or https://");
  if (Part(parsed.get(), CURLUPART_USER) || Part(parsed.get(), CURLUPART_PASSWORD)) {
    return wrong("must hold no user name and password");
  }
  // "https:///path" is read as "https://path" by libcurl; nobody means that.
  const bool slash_host = text.find(":///") == scheme.size();
  if (slash_host || Part(parsed.get(), CURLUPART_HOST).value_or("").empty()) {
    return wrong("names no host");
  }
  curl_url_set(parsed.get(), CURLUPART_QUERY, nullptr, 0);
  curl_url_set(parsed.get(), CURLUPART_FRAGMENT, nullptr, 0);
  const auto shown = Part(parsed.get(), CURLUPART_URL);
  if (!shown) return wrong("is no URL; it must look like https://host/path");
  return *shown;
}

}  // namespace glint
