// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "glint/error.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ScanEvaluation WithLines(const std::string& set, double f, int found, int known) {
  ScanEvaluation scan{.name = "s", .corner_error_percent = 0.1, .damaged = true};
  scan.set = set;
  scan.visible_lines = ScanScore::Agreement{.precision = f, .recall = f, .f = f};
  for (int i = 0; i < known; ++i) {
    scan.defects.push_back({.id = i + 1, .type = "crease", .found = i < found});
  }
  return scan;
}

ScanEvaluation Clean(const std::string& set, double marked) {
  ScanEvaluation scan{.name = "c", .corner_error_percent = 0.1, .marked = marked};
  scan.set = set;
  return scan;
}

ScanEvaluation Clip(const std::string& set, bool as_expected, bool has_object) {
  ScanEvaluation scan{.name = "v"};
  scan.set = set;
  scan.as_expected = as_expected;
  scan.has_object = has_object;
  return scan;
}

TEST(JudgeSets, GivesEachSetOneVerdict) {
  const std::vector<ScanEvaluation> scans = {WithLines("optics", 0.9, 4, 4), Clean("drawn", 0.0001),
                                             WithLines("optics", 0.8, 5, 6),
                                             Clean("drawn", 0.0003)};
  const auto verdicts = JudgeSets(scans);
  ASSERT_EQ(verdicts.size(), 2U);
  EXPECT_EQ(verdicts[0].set, "optics");
  EXPECT_NEAR(verdicts[0].mean_f, 0.85, 1e-9);
  EXPECT_EQ(verdicts[0].worst_f, 0.8);
  EXPECT_EQ(verdicts[0].found, 9);
  EXPECT_EQ(verdicts[0].known, 10);
  EXPECT_THAT(verdicts[0].short_of, IsEmpty());
  EXPECT_THAT(VerdictLine(verdicts[0]), HasSubstr("9/10 found: all that is asked\n"));
  EXPECT_EQ(verdicts[1].clean, 2);
  EXPECT_NEAR(verdicts[1].clean_marked_percent, 0.03, 1e-9);
  EXPECT_THAT(verdicts[1].short_of, ElementsAre("more than 0.02 % of a clean one marked"));
}

TEST(JudgeSets, NamesAllThatFallsShort) {
  ScanEvaluation failed{.name = "f"};
  failed.set = "a";
  failed.failure = Error(Reason::kNotAVideo, "no video");
  const std::vector<ScanEvaluation> scans = {WithLines("a", 0.6, 1, 4), failed};
  const auto verdicts = JudgeSets(scans);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_EQ(verdicts[0].failed, 1);
  EXPECT_THAT(verdicts[0].short_of,
              ElementsAre("1 failed", "mean F under 0.85", "worst F under 0.65",
                          "fewer than 90 % of the lines found"));
}

TEST(JudgeSets, ForgivesOneClipWithAnObjectAndNoneWithout) {
  std::vector<ScanEvaluation> scans = {Clip("real", true, true), Clip("real", false, true)};
  EXPECT_THAT(JudgeSets(scans)[0].short_of, IsEmpty());
  scans.push_back(Clip("real", false, false));
  EXPECT_THAT(JudgeSets(scans)[0].short_of,
              ElementsAre("1 judged without an object", HasSubstr("otherwise than expected")));
}

}  // namespace
}  // namespace glint
