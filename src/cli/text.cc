// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace glint {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

/// The first character of a text that is not empty; a broken one is a single byte.
Character First(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t bytes = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (bytes == 1 || lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {lead, 1};
  char32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {lead, 1};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  return {code, bytes};
}

/// After the East Asian Width property of Unicode (UAX #11), in whole blocks.
int Columns(char32_t code) {
  using Range = std::pair<char32_t, char32_t>;
  constexpr std::array kCombining = {Range{0x0300, 0x036f}, Range{0x200b, 0x200f},
                                     Range{0x20d0, 0x20ff}, Range{0xfe00, 0xfe0f}};
  constexpr std::array kWide = {
      Range{0x1100, 0x115f},   Range{0x2e80, 0x303e},  Range{0x3041, 0xa4cf},
      Range{0xac00, 0xd7a3},   Range{0xf900, 0xfaff},  Range{0xfe30, 0xfe6f},
      Range{0xff00, 0xff60},   Range{0xffe0, 0xffe6},  Range{0x1f300, 0x1f64f},
      Range{0x1f680, 0x1faff}, Range{0x20000, 0x3fffd}};
  const auto holds = [code](const Range& range) {
    return code >= range.first && code <= range.second;
  };
  if (std::ranges::any_of(kCombining, holds)) return 0;
  return std::ranges::any_of(kWide, holds) ? 2 : 1;
}

}  // namespace

int Columns(std::string_view text) {
  int columns = 0;
  while (!text.empty()) {
    const Character character = First(text);
    columns += Columns(character.code);
    text.remove_prefix(character.bytes);
  }
  return columns;
}

std::string Fitted(std::string_view text, int columns) {
  if (Columns(text) <= columns) return std::string(text);
  if (columns <= 0) return "";
  std::size_t bytes = 0;
  int used = 1;  // the ellipsis
  while (true) {
    const Character character = First(text.substr(bytes));
    used += Columns(character.code);
    if (used > columns) return std::string(text.substr(0, bytes)) + "…";
    bytes += character.bytes;
  }
}

std::string OneLine(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const Character character = First(text);
    const bool c1_control = character.bytes == 2 && character.code < 0xa0;
    if (character.code < 0x20 || character.code == 0x7f || c1_control) {
      line += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(character.code));
    } else {
      line += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return line;
}

std::string Clock(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 3.6e6)));
  const std::int64_t hours = whole / 3600;
  const std::int64_t minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

std::string Counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace glint
