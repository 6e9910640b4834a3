// SPDX-License-Identifier: Apache-2.0
#include "web/web_request.h"

#include <strings.h>

#include <algorithm>
#include <charconv>

namespace glint {
namespace {

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::optional<std::string_view> WebRequest::Header(std::string_view name) const {
  const auto found = std::ranges::find_if(headers, [&](const auto& header) {
    return header.first.size() == name.size() &&
           strncasecmp(header.first.data(), name.data(), name.size()) == 0;
  });
  if (found == headers.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string_view> WebRequest::Parameter(std::string_view name) const {
  const auto found =
      std::ranges::find_if(query, [&](const auto& field) { return field.first == name; });
  if (found == query.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> PercentDecoded(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    char c = text.front();
    std::size_t taken = 1;
    if (c == '%') {
      unsigned int code = 0;
      if (text.size() < 3) return std::nullopt;
      const auto read = std::from_chars(text.data() + 1, text.data() + 3, code, 16);
      if (read.ec != std::errc() || read.ptr != text.data() + 3) return std::nullopt;
      c = static_cast<char>(code);
      taken = 3;
    }
    if (IsControl(c)) return std::nullopt;
    decoded += c;
    text.remove_prefix(taken);
  }
  return decoded;
}

}  // namespace glint
