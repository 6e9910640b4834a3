// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <gtest/gtest.h>

namespace glint {
namespace {

TEST(Text, ColumnsAreWhatATerminalShows) {
  struct Case {
    const char* text;
    int columns;
  };
  for (const Case& c : {Case{"", 0}, Case{"abc", 3}, Case{"über", 4}, Case{"漫画", 4},
                        Case{"🎞", 2}, Case{"e\u0301", 1}, Case{"█░", 2}, Case{"한글", 4},
                        Case{"\xff\xc3", 2}, Case{"\xe6\xbc", 2}}) {
    EXPECT_EQ(Columns(c.text), c.columns) << c.text;
  }
}

TEST(Text, FittedNeverExceedsItsRoomAndSaysWhatWasCut) {
  EXPECT_EQ(Fitted("abc", 3), "abc");
  EXPECT_EQ(Fitted("abcd", 3), "ab…");
  EXPECT_EQ(Fitted("漫画本", 4), "漫…") << "half a wide character does not fit";
  EXPECT_EQ(Fitted("abc", 1), "…");
  EXPECT_EQ(Fitted("abc", 0), "");
}

TEST(Text, OneLineHoldsNoControlCharacters) {
  EXPECT_EQ(OneLine("a\nb\x1b[31m\x7f"), "a\\x0ab\\x1b[31m\\x7f");
  EXPECT_EQ(OneLine("\u009b31m"), "\\x9b31m") << "a C1 control starts a sequence, too";
  EXPECT_EQ(OneLine("漫画 ü.mp4"), "漫画 ü.mp4");
}

TEST(Text, ClockAndCountReadWell) {
  EXPECT_EQ(Clock(0), "0:00");
  EXPECT_EQ(Clock(7.4), "0:07");
  EXPECT_EQ(Clock(754), "12:34");
  EXPECT_EQ(Clock(3723), "1:02:03");
  EXPECT_EQ(Clock(-1), "0:00");
  EXPECT_EQ(Counted(1, "video"), "1 video");
  EXPECT_EQ(Counted(0, "video"), "0 videos");
}

}  // namespace
}  // namespace glint
