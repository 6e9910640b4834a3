// SPDX-License-Identifier: Apache-2.0
#include "assess/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assess/parts.h"
#include "assess/trade_names.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

ScanReport Report() {
  ScanReport report;
  report.damaged_percent = 1.5;
  report.reference.emplace();
  return report;
}

Assessment With(std::vector<Defect> defects) {
  Assessment assessment{.judges = true, .defects = std::move(defects)};
  for (const Defect& defect : assessment.defects) {
    assessment.severity = std::max(assessment.severity, defect.severity);
  }
  return assessment;
}

Defect A(DefectName name, Severity severity, bool breaks_colour = false,
         Axis axis = Axis::kSurface) {
  return {.name = name, .severity = severity, .breaks_colour = breaks_colour, .axis = axis};
}

TEST(Verdict, NamesTheWorstFirstAndCounts) {
  const auto assessment = With({A(DefectName::kSpineTick, Severity::kLight),
                                A(DefectName::kCrease, Severity::kModerate, true),
                                A(DefectName::kSpineTick, Severity::kLight),
                                A(DefectName::kCrease, Severity::kModerate, true)});
  EXPECT_EQ(Verdict(assessment, Report()),
            "Moderate wear: two creases that break the colour and two spine ticks.");
}

TEST(Verdict, SaysOnceThatSomeOfOneNameBreakTheColour) {
  const auto assessment =
      With({A(DefectName::kCrease, Severity::kHeavy, true),
            A(DefectName::kCrease, Severity::kLight), A(DefectName::kCrease, Severity::kLight)});
  EXPECT_EQ(Verdict(assessment, Report()), "Heavy damage: three creases (one breaks the colour).");
}

TEST(Verdict, ListsFourKindsAndCountsTheRest) {
  const auto assessment =
      With({A(DefectName::kTear, Severity::kHeavy), A(DefectName::kMissingCorner, Severity::kHeavy),
            A(DefectName::kCrease, Severity::kModerate), A(DefectName::kScratch, Severity::kLight),
            A(DefectName::kDent, Severity::kLight), A(DefectName::kStain, Severity::kLight)});
  EXPECT_EQ(Verdict(assessment, Report()),
            "Heavy damage: one tear, one missing corner, one crease, one scratch and 2 more.");
}

TEST(Verdict, SaysWhenNothingWasFoundOrNothingCouldBeSeen) {
  EXPECT_EQ(Verdict(With({}), Report()), "No damage was found.");
  ScanReport unseen = Report();
  unseen.damaged_percent.reset();
  EXPECT_EQ(Verdict(With({}), unseen), "The object could not be seen well enough.");
}

TEST(Verdict, OfADetectorThatMarksInkSaysSo) {
  EXPECT_THAT(Verdict(Assessment(), Report()), HasSubstr("printed ink"));
  EXPECT_THAT(NotesOn(Assessment(), Report()), ElementsAre(HasSubstr("--profile photometric")));
}

TEST(Verdict, SumsUpEachAxis) {
  Assessment assessment =
      With({A(DefectName::kMissingCorner, Severity::kHeavy, false, Axis::kCorners),
            A(DefectName::kScratch, Severity::kLight)});
  assessment.centering = Centering{.left_px = 53, .right_px = 47, .top_px = 20, .bottom_px = 20};
  assessment.parts = PartsOf("card", {600, 800});
  for (ObjectPart& part : assessment.parts) part.damaged_percent = 0;
  assessment.parts[6].damaged_percent.reset();
  const auto axes = SummariseAxes(assessment);
  ASSERT_EQ(axes.size(), 4U);
  EXPECT_EQ(axes[0].text, "53:47 left to right, 50:50 top to bottom");
  EXPECT_EQ(axes[1].text, "one missing corner (heavy)");
  EXPECT_EQ(axes[1].worst, Severity::kHeavy);
  EXPECT_EQ(axes[2].text, "nothing found; not seen: the right edge");
  EXPECT_EQ(axes[3].defects, 1);
}

TEST(Verdict, NotesWhatWasNotLookedForAndWhatIsAssumed) {
  Assessment assessment = With({});
  EXPECT_THAT(NotesOn(assessment, Report()), IsEmpty());
  ScanReport report = Report();
  report.reference.reset();
  report.unknown_percent = 12;
  report.regions_found = 300;
  assessment.scale = ObjectScale{63.5, 88.9, true, "trading card"};
  EXPECT_THAT(NotesOn(assessment, report),
              ElementsAre(HasSubstr("good copy"), HasSubstr("12 %"), HasSubstr("of 300 regions"),
                          HasSubstr("assume a trading card, 63.5 × 88.9 mm")));
}

TEST(TradeNames, CountInWords) {
  EXPECT_EQ(Counted(DefectName::kCrease, 0), "no creases");
  EXPECT_EQ(Counted(DefectName::kCrease, 1), "one crease");
  EXPECT_EQ(Counted(DefectName::kFading, 12), "twelve faded areas");
  EXPECT_EQ(Counted(DefectName::kScratch, 13), "13 scratches");
  EXPECT_EQ(Counted(DefectName::kCreaseOrScratch, 2), "two creases or scratches");
  EXPECT_EQ(PartTitle("corner_br"), "Bottom right corner");
  EXPECT_EQ(PartTitle("spine"), "Spine");
}

}  // namespace
}  // namespace glint
