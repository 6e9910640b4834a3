// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

namespace glint {
namespace {

/// Bytes of the character that `text` starts with; 0 when it starts with none.
std::size_t CharacterBytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : bytes;
}

}  // namespace

std::string ValidUtf8(std::string_view text, std::size_t most) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  constexpr std::string_view kCut = "...";
  std::string valid;
  std::size_t fits = 0;  // bytes of `valid` that leave room for the mark of a cut
  while (!text.empty()) {
    const std::size_t bytes = CharacterBytes(text);
    valid += bytes == 0 ? kReplacement : text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
    if (valid.size() > most) return valid.substr(0, fits) + std::string(kCut);
    if (valid.size() + kCut.size() <= most) fits = valid.size();
  }
  return valid;
}

}  // namespace glint
