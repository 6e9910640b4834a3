// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <gtest/gtest.h>

namespace glint {
namespace {

TEST(ValidUtf8, KeepsWhatIsValidAndReplacesTheRest) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"plain", "plain"},
      {"\xC3\xBC \xE6\x97\xA5 \xF0\x9F\x98\x80", "\xC3\xBC \xE6\x97\xA5 \xF0\x9F\x98\x80"},
      {"a\xFFz", "a\xEF\xBF\xBDz"},
      {"\xC3", "\xEF\xBF\xBD"},                                                  // cut off
      {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},                                  // overlong
      {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},                  // a surrogate
      {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},  // above U+10FFFF
  };
  for (const auto& [text, valid] : cases) EXPECT_EQ(ValidUtf8(text), valid);
}

TEST(ValidUtf8, CutsBetweenCharacters) {
  EXPECT_EQ(ValidUtf8("abcdef", 6), "abcdef");
  EXPECT_EQ(ValidUtf8("abcdefg", 6), "abc...");
  EXPECT_EQ(ValidUtf8("a\xE6\x97\xA5\xE6\x97\xA5", 6), "a...");
}

}  // namespace
}  // namespace glint
