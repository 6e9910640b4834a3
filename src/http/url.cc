// SPDX-License-Identifier: Apache-2.0
#include "http/url.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <memory>
#include <optional>

#include "glint/error.h"

namespace glint {
namespace {

using UrlHandle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

constexpr unsigned kFlags = CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS;

std::optional<std::string> Part(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return std::nullopt;
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, &curl_free);
  return std::string(text);
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

absl::Status Unparsable(CURLUcode code) {
  return Error(Reason::kInvalidOption, fmt::format("the URL cannot be understood ({}); write "
                                                   "https://host/path",
                                                   curl_url_strerror(code)));
}

}  // namespace

absl::StatusOr<Url> Url::Parse(std::string_view text) { return Url().Resolve(text); }

absl::StatusOr<Url> Url::Resolve(std::string_view location) const {
  const UrlHandle handle(curl_url(), &curl_url_cleanup);
  if (!handle) return Error(Reason::kOutOfMemory, "no memory for a URL");
  if (location.find('\0') != std::string_view::npos) return Unparsable(CURLUE_MALFORMED_INPUT);
  if (!text_.empty()) curl_url_set(handle.get(), CURLUPART_URL, text_.c_str(), kFlags);
  // Servers write spaces into Location; a user's URL is taken literally.
  const unsigned flags = kFlags | (text_.empty() ? 0U : unsigned{CURLU_URLENCODE});
  const CURLUcode code =
      curl_url_set(handle.get(), CURLUPART_URL, std::string(location).c_str(), flags);
  if (code != CURLUE_OK) return Unparsable(code);

  Url url;
  url.scheme_ = Lower(Part(handle.get(), CURLUPART_SCHEME).value_or(""));
  url.host_ = Lower(Part(handle.get(), CURLUPART_HOST).value_or(""));
  if (url.host_.starts_with('[') && url.host_.ends_with(']')) {
    url.host_ = url.host_.substr(1, url.host_.size() - 2);
  }
  const auto own_port = Part(handle.get(), CURLUPART_PORT, CURLU_NO_DEFAULT_PORT);
  url.has_own_port_ = own_port.has_value();
  const std::string port =
      own_port.value_or(Part(handle.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT).value_or("0"));
  std::from_chars(port.data(), port.data() + port.size(), url.port_);
  url.path_ = Part(handle.get(), CURLUPART_PATH).value_or("/");
  url.has_user_info_ = Part(handle.get(), CURLUPART_USER) || Part(handle.get(), CURLUPART_PASSWORD);
  curl_url_set(handle.get(), CURLUPART_FRAGMENT, nullptr, 0);
  url.text_ = Part(handle.get(), CURLUPART_URL).value_or("");
  const bool web = url.scheme_ == "http" || url.scheme_ == "https";
  if (url.text_.empty() || (web && url.host_.empty())) return Unparsable(CURLUE_NO_HOST);
  return url;
}

std::string Url::Authority() const {
  const std::string host =
      host_.find(':') == std::string::npos ? host_ : fmt::format("[{}]", host_);
  return has_own_port_ ? fmt::format("{}:{}", host, port_) : host;
}

std::string Url::Shown() const { return fmt::format("{}://{}{}", scheme_, Authority(), path_); }

std::string ShownInput(std::string_view input) {
  const std::size_t scheme_end = input.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) return std::string(input);
  if (const auto url = Url::Parse(input); url.ok()) return url->Shown();
  // Nobody can say what of an unparsable URL is secret.
  return fmt::format("{}://...", input.substr(0, scheme_end));
}

std::string PercentEncoded(std::string_view text, bool keep_slashes) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || (c == '/' && keep_slashes);
    encoded += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

}  // namespace glint
