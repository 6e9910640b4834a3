// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_bar.h"

#include <gtest/gtest.h>

#include "cli/text.h"

namespace glint {
namespace {

TEST(ProgressBar, DrawsWhatIsDone) {
  const BarStyle ascii{.columns = 32, .unicode = false};
  EXPECT_EQ(BarLine({"decoding", 0, ""}, ascii), "decoding ........   0 %");
  EXPECT_EQ(BarLine({"decoding", 0.5, ""}, ascii), "decoding ####....  50 %");
  EXPECT_EQ(BarLine({"decoding", 1, ""}, ascii), "decoding ######## 100 %");
  EXPECT_EQ(BarLine({"x", 0.5625, ""}, {.columns = 25}), "x ████▌░░░  56 %") << "eighths";
}

TEST(ProgressBar, NeverFillsTheLine) {
  for (const char* label : {"", "measuring", "ein sehr langer Name 漫画漫画漫画漫画"}) {
    for (int columns = 1; columns <= 200; ++columns) {
      for (const double fraction : {-1.0, 0.0, 0.333, 0.999, 1.0, 7.0}) {
        const std::string line =
            BarLine({label, fraction, "frame 12/3456, 12:34 left"}, {.columns = columns});
        ASSERT_LT(Columns(line), std::max(2, columns)) << columns << ": " << line;
      }
    }
  }
}

TEST(ProgressBar, ShortOfRoomTheDetailGoesFirst) {
  const BarState state{"measuring", 0.5, "frame 12/34"};
  EXPECT_NE(BarLine(state, {.columns = 80}).find("frame 12/34"), std::string::npos);
  const std::string narrow = BarLine(state, {.columns = 30});
  EXPECT_EQ(narrow.find("frame"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("measuring"), std::string::npos) << narrow;
}

TEST(ProgressBar, DoesNotJumpWhenTheDetailChanges) {
  const auto bar_end = [](const char* detail) {
    return BarLine({"measuring", 0.5, detail}, {.columns = 70, .unicode = false}).rfind('.');
  };
  EXPECT_EQ(bar_end(""), bar_end("frame 12/34"));
  EXPECT_EQ(bar_end(""), bar_end("a detail that is much too long for the room that there is"));
}

TEST(ProgressBar, ColourAddsNoColumnsAndIsReset) {
  const std::string plain = BarLine({"x", 0.5, ""}, {.columns = 40});
  const std::string colour = BarLine({"x", 0.5, ""}, {.columns = 40, .colour = true});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(colour.find("\x1b[0m"), std::string::npos);
}

TEST(ProgressBar, TimeLeftWaitsUntilItIsNoGuess) {
  EXPECT_EQ(TimeLeft(0.5, 0.5), "");
  EXPECT_EQ(TimeLeft(10, 0.01), "");
  EXPECT_EQ(TimeLeft(10, 0.25), "0:30 left");
  EXPECT_EQ(TimeLeft(10, 1), "");
}

}  // namespace
}  // namespace glint
