// SPDX-License-Identifier: Apache-2.0
#include "assess/both_sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "assess/verdict.h"

namespace glint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A side with these defects on its surface.
struct OneSide {
  ScanReport report;
  std::optional<Assessment> assessment;

  SideFindings findings() const { return {report, assessment}; }
};

OneSide Judged(std::vector<std::pair<DefectName, Severity>> defects) {
  OneSide side;
  side.report.damaged_percent = 1;
  Assessment& assessment = side.assessment.emplace();
  assessment.judges = true;
  for (const auto& [name, severity] : defects) {
    assessment.defects.push_back({.name = name, .severity = severity, .axis = Axis::kSurface});
    assessment.severity = std::max(assessment.severity, severity);
  }
  assessment.axes = SummariseAxes(assessment);
  assessment.verdict = Verdict(assessment, side.report);
  return side;
}

OneSide Unjudged(NotJudgedCause cause) {
  OneSide side;
  side.report.outcome = ScanOutcome::kNotJudged;
  side.report.not_judged = NotJudged{.cause = cause};
  return side;
}

BothSides Of(const OneSide& front, const OneSide& back) {
  return Together(front.findings(), back.findings());
}

TEST(BothSides, AreOneVerdictByTheWorstOfThem) {
  const BothSides both =
      Of(Judged({{DefectName::kCrease, Severity::kLight}, {DefectName::kCrease, Severity::kLight}}),
         Judged({{DefectName::kTear, Severity::kHeavy}}));
  EXPECT_EQ(both.verdict, "Heavy damage: two creases on the front; one tear on the back.");
  EXPECT_EQ(both.severity, Severity::kHeavy);
  EXPECT_THAT(both.notes, IsEmpty());
  ASSERT_EQ(both.axes.size(), kAxes.size());
  EXPECT_EQ(both.axes[3].text, "front: two creases (light); back: one tear (heavy)");
  EXPECT_EQ(both.axes[3].defects, 3);
  EXPECT_EQ(both.axes[3].worst, Severity::kHeavy);
  EXPECT_EQ(both.axes[2].text, "front: nothing found; back: nothing found");
}

TEST(BothSides, SayOnWhichSideNothingWasFound) {
  const OneSide sound = Judged({}), worn = Judged({{DefectName::kDent, Severity::kLight}});
  EXPECT_EQ(Of(worn, sound).verdict, "Light wear: one dent on the front; nothing on the back.");
  EXPECT_EQ(Of(sound, worn).verdict, "Light wear: nothing on the front; one dent on the back.");
  EXPECT_EQ(Of(sound, sound).verdict, "No damage was found on either side.");
  EXPECT_EQ(Of(sound, sound).severity, Severity::kNone);
}

TEST(BothSides, SayWhichSideWasNotJudgedAndWhyAndDoNotCountIt) {
  const OneSide worn = Judged({{DefectName::kDent, Severity::kLight}});
  const OneSide still = Unjudged(NotJudgedCause::kStillLight);
  const BothSides both = Of(worn, still);
  EXPECT_EQ(both.verdict,
            "Light wear on the front: one dent. The back was not judged: the light never changes.");
  EXPECT_EQ(both.severity, Severity::kLight);
  EXPECT_THAT(both.notes, ElementsAre("The back was not judged: the light never changes."));
  EXPECT_EQ(both.axes[3].text, "front: one dent (light); back: not judged");
  EXPECT_EQ(Of(still, Judged({})).verdict,
            "No damage was found on the back. The front was not judged: the light never changes.");
}

TEST(BothSides, HaveNoSeverityWhereNeitherWasJudged) {
  OneSide unusable;
  unusable.report.outcome = ScanOutcome::kNoUsableFrames;
  OneSide unseen = Judged({});
  unseen.report.damaged_percent.reset();
  const BothSides both = Of(unusable, unseen);
  EXPECT_EQ(both.verdict, "Neither side was judged.");
  EXPECT_EQ(both.severity, std::nullopt);
  EXPECT_THAT(both.notes,
              ElementsAre("The front was not judged: no frame was steady enough.",
                          "The back was not judged: the object could not be seen well enough."));
}

TEST(BothSides, OfADetectorThatMarksInkSayWhatEachSays) {
  OneSide inked;
  inked.report.damaged_percent = 2;
  inked.assessment.emplace();
  inked.assessment->axes = SummariseAxes(*inked.assessment);
  inked.assessment->verdict = "2.0 % is marked.";
  EXPECT_EQ(Of(inked, inked).verdict, "Front: 2.0 % is marked. Back: 2.0 % is marked.");
  EXPECT_EQ(Of(inked, inked).severity, std::nullopt);
  EXPECT_THAT(Of(inked, inked).notes, IsEmpty());
}

}  // namespace
}  // namespace glint
