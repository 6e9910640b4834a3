// SPDX-License-Identifier: Apache-2.0
#include "assess/severity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace glint {
namespace {

constexpr Size kObject{1000, 1400};

Severity Of(DefectName name, double length_px, std::int64_t area_px = 0, bool breaks = false) {
  return SeverityOf(
      {.name = name, .breaks_colour = breaks, .area_px = area_px, .length_px = length_px}, kObject);
}

TEST(Severity, OfLinesGoesByTheirLengthAndWhetherTheyBreakTheColour) {
  EXPECT_EQ(Of(DefectName::kCrease, 50, 0, true), Severity::kLight);
  EXPECT_EQ(Of(DefectName::kCrease, 51, 0, true), Severity::kModerate);
  EXPECT_EQ(Of(DefectName::kCrease, 251, 0, true), Severity::kHeavy);
  EXPECT_EQ(Of(DefectName::kCrease, 251), Severity::kModerate);
  EXPECT_EQ(Of(DefectName::kScratch, 51), Severity::kLight);
  EXPECT_EQ(Of(DefectName::kSpineTick, 20), Severity::kLight);
}

TEST(Severity, CountsWhatIsGoneOneStepMore) {
  EXPECT_EQ(Of(DefectName::kMissingCorner, 40), Severity::kModerate);
  EXPECT_EQ(Of(DefectName::kTear, 100), Severity::kHeavy);
  EXPECT_EQ(Of(DefectName::kWornCorner, 40), Severity::kLight);
  EXPECT_EQ(Of(DefectName::kWornCorner, 100), Severity::kModerate);
}

TEST(Severity, OfAreasGoesByTheirArea) {
  EXPECT_EQ(Of(DefectName::kStain, 900, 2'800), Severity::kLight);
  EXPECT_EQ(Of(DefectName::kStain, 900, 2'801), Severity::kModerate);
  EXPECT_EQ(Of(DefectName::kFading, 900, 28'001), Severity::kHeavy);
}

TEST(Severity, StatesItsRuleWithItsNumbers) {
  for (const char* part : {"up to 5 %", "up to 25 %", "up to 0.2 %", "up to 2 %", "no grade"}) {
    EXPECT_THAT(SeverityRule(), testing::HasSubstr(part));
  }
}

}  // namespace
}  // namespace glint
