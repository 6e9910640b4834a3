// SPDX-License-Identifier: Apache-2.0
#include "analyse/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyse/leave_unjudged.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<FrameMeasure> Frames(std::initializer_list<std::int64_t> motion256,
                                 double clipped = 0) {
  std::vector<FrameMeasure> frames{{.index = 0, .clipped = clipped}};
  for (const std::int64_t motion : motion256) {
    frames.push_back({.index = std::ssize(frames), .motion256 = motion, .clipped = clipped});
  }
  return frames;
}

TEST(FilmingAdvice, NothingWhenAllIsWell) {
  EXPECT_THAT(FilmingAdvice(Frames({100, 200}), 2, 1.0), IsEmpty());
}

TEST(FilmingAdvice, NamesTheSteadiestFrameWhenNoneIsSteady) {
  EXPECT_THAT(FilmingAdvice(Frames({1024, 512, 2048}), 0, 1.25),
              ElementsAre(AllOf(HasSubstr("All 4 frames"), HasSubstr("frame 2, by 2.00 px"),
                                HasSubstr("1.25 px"))));
}

TEST(FilmingAdvice, ASingleFrameCannotBeMeasured) {
  EXPECT_THAT(FilmingAdvice(Frames({}), 0, 1), ElementsAre(HasSubstr("single frame")));
  EXPECT_THAT(FilmingAdvice({}, 0, 1), IsEmpty());
}

TEST(FilmingAdvice, SpeaksOfLightWhenMuchIsClipped) {
  EXPECT_THAT(FilmingAdvice(Frames({100, 200}, 0.25), 2, 1),
              ElementsAre(HasSubstr("25 % of the picture")));
}

TEST(FilmingAdvice, OneFrameIsTooFewToCompare) {
  EXPECT_THAT(FilmingAdvice(Frames({100, 200}), 1, 1),
              ElementsAre(HasSubstr("Only one frame could be used")));
}

TEST(LightAdvice, IsGivenWhenTheLightHardlyChanged) {
  ASSERT_EQ(LightAdvice(0.004).size(), 1U);
  EXPECT_THAT(LightAdvice(0.004)[0], testing::HasSubstr("move the light"));
  EXPECT_TRUE(LightAdvice(0.08).empty());
}

TEST(PlainObjectAdvice, NamesTheItemTypeToChoose) {
  EXPECT_THAT(PlainObjectAdvice(), HasSubstr("--item-type surface"));
}

TEST(NotJudgedAdvice, NamesTheSecondAndWhatToDoForEveryCause) {
  using enum NotJudgedCause;
  for (const auto cause : {kNoObject, kObjectOutside, kFewViews, kStillLight, kPoorRegistration}) {
    EXPECT_THAT(NotJudgedAdvice({.cause = cause, .timestamp_us = 12'340'000}), HasSubstr("12.3"));
  }
  EXPECT_THAT(NotJudgedAdvice({.cause = kObjectOutside}), HasSubstr("step back"));
}

TEST(LeaveUnjudged, TakesBackEveryVerdict) {
  ScanReport report;
  report.profile = "photometric";
  report.device = "cpu";
  report.damaged_percent = 3;
  report.glare_percent = 2;
  report.named_regions = {{"surface", {}, 3}};
  report.regions.resize(2);
  report.regions_found = 2;
  report.advice = {"use more even light", "hold still"};
  LeaveUnjudged({.cause = NotJudgedCause::kFewViews}, report);
  EXPECT_EQ(report.outcome, ScanOutcome::kNotJudged);
  EXPECT_FALSE(report.damaged_percent || report.glare_percent);
  EXPECT_TRUE(report.named_regions.empty() && report.regions.empty());
  EXPECT_EQ(report.regions_found, 0);
  EXPECT_THAT(report.advice, ElementsAre(HasSubstr("too briefly")));
  EXPECT_FALSE(report.stages.empty());
}

}  // namespace
}  // namespace glint
