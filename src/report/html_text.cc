// SPDX-License-Identifier: Apache-2.0
#include "report/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace glint {

std::string EscapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string DataUrl(std::span<const std::byte> bytes, std::string_view content_type) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out = fmt::format("data:{};base64,", content_type);
  out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

std::string Grouped(std::int64_t number) {
  const std::string digits = fmt::format("{}", number < 0 ? -number : number);
  std::string out;
  if (number < 0) out += '-';
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string PercentText(const std::optional<double>& percent) {
  if (!percent) return "unknown";
  if (*percent > 0 && *percent < 0.005) return "&lt; 0.01 %";
  return fmt::format("{:.2f} %", *percent);
}

std::string ClockText(std::int64_t timestamp_us) {
  const std::int64_t tenths = (timestamp_us + 50'000) / 100'000;
  return fmt::format("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10);
}

std::string Count(std::int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", Grouped(number), noun, number == 1 ? "" : "s");
}

std::string AsBack(std::string_view html) {
  struct Attribute {
    std::string_view start, before, after;
  };
  // No text of a report can look like these: it is escaped, and pictures are base64.
  static constexpr std::array<Attribute, 3> kAttributes = {
      {{" id=\"", "", "-back"}, {" href=\"#", "", "-back"}, {" aria-label=\"", "Back: ", ""}}};
  std::string out;
  while (!html.empty()) {
    std::size_t first = html.size();
    const Attribute* found = nullptr;
    for (const Attribute& attribute : kAttributes) {
      const std::size_t at = html.find(attribute.start);
      if (at >= first) continue;
      first = at;
      found = &attribute;
    }
    out += html.substr(0, first);
    html.remove_prefix(first);
    if (found == nullptr) break;
    html.remove_prefix(found->start.size());
    const std::size_t end = std::min(html.find('"'), html.size());
    out += fmt::format("{}{}{}{}", found->start, found->before, html.substr(0, end), found->after);
    html.remove_prefix(end);
  }
  return out;
}

std::string FillTemplate(std::string_view text,
                         std::span<const std::pair<std::string_view, std::string_view>> values) {
  std::string out;
  while (true) {
    const std::size_t open = text.find("{{");
    const std::size_t close = text.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    out += text.substr(0, open);
    const std::string_view name = text.substr(open + 2, close - open - 2);
    for (const auto& [key, value] : values) {
      if (key == name) out += value;
    }
    text.remove_prefix(close + 2);
  }
  return out.append(text);
}

std::string FillTemplate(std::string_view text,
                         std::initializer_list<std::pair<std::string_view, std::string>> values) {
  const std::vector<std::pair<std::string_view, std::string_view>> views(values.begin(),
                                                                         values.end());
  return FillTemplate(text, views);
}

}  // namespace glint
