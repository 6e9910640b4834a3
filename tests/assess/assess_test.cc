// SPDX-License-Identifier: Apache-2.0
#include "assess/assess.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assess/drawing.h"
#include "glint/profile.h"

namespace glint {
namespace {

constexpr Size kObject{635, 889};

/// A card with two creases that cross, and a missing corner.
class Card {
 public:
  Card() {
    DrawLine(labels_, 1, {100, 450}, {500, 430}, 8);
    DrawLine(labels_, 1, {300, 250}, {320, 650}, 8);
    Fill<std::int32_t>(labels_, {600, 0, 35, 40}, 2);
    report_.item_type = "card";
    report_.profile = kProfilePhotometric;
    report_.regions = {RegionOf(labels_, 1, RegionKind::kArea, kLinesLayer),
                       RegionOf(labels_, 2, RegionKind::kEdgeLoss, kOutlineLayer)};
    report_.regions_found = 2;
    for (int y = 0; y < kObject.height; ++y) {
      for (int x = 0; x < kObject.width; ++x) {
        if (labels_.Row<std::int32_t>(y)[x] != 0) mask_.Row<std::uint8_t>(y)[x] = 255;
      }
    }
    report_.damaged_percent = 1;
  }
  Assessment Assess(std::string size = "") const {
    return glint::Assess({.report = report_,
                          .labels = labels_,
                          .mask = mask_,
                          .seen = seen_,
                          .picture = none_,
                          .around = {none_, 0},
                          .size = std::move(size)});
  }
  ScanReport& report() { return report_; }

 private:
  Plane labels_ = NoLabels(kObject), mask_ = Grey(kObject, 0), seen_ = Grey(kObject, 255), none_;
  ScanReport report_;
};

TEST(Assess, CountsCrossingCreasesApartAndSaysWhereEachDefectLies) {
  const Assessment found = Card().Assess();
  ASSERT_EQ(found.defects.size(), 3U);
  std::int64_t area = 0;
  for (const Defect& defect : found.defects) area += defect.area_px;
  std::int64_t damaged = 0;
  for (const ObjectPart& part : found.parts) damaged += part.damaged_px;
  EXPECT_EQ(area, damaged) << "the table and the parts add up";
  EXPECT_THAT(found.verdict, testing::HasSubstr("two creases"));
  EXPECT_THAT(found.verdict, testing::HasSubstr("one missing corner"));
  for (const Defect& defect : found.defects) {
    if (defect.name == DefectName::kMissingCorner) {
      EXPECT_EQ(defect.part, "corner_tr");
      EXPECT_EQ(defect.axis, Axis::kCorners);
      EXPECT_FALSE(defect.line);
    } else {
      EXPECT_EQ(defect.region, 1);
      EXPECT_EQ(defect.part, "face");
      EXPECT_TRUE(defect.line);
    }
  }
}

TEST(Assess, GivesMillimetresOfTheSizeThatWasGivenOrAssumed) {
  const Assessment assumed = Card().Assess();
  ASSERT_TRUE(assumed.scale);
  EXPECT_TRUE(assumed.scale->assumed);
  const auto longest = [](const Assessment& found) {
    double most = 0;
    for (const Defect& defect : found.defects) most = std::max(most, *defect.length_mm);
    return most;
  };
  EXPECT_NEAR(longest(assumed), 40, 1);
  EXPECT_NEAR(longest(Card().Assess("127x177.8mm")), 80, 2);
  Card other;
  other.report().item_type = "generic";
  EXPECT_FALSE(other.Assess().scale);
  EXPECT_FALSE(other.Assess().defects[0].length_mm);
}

TEST(Assess, KeepsTheEndsOfALineThatItCannotTellApart) {
  const Plane labels = NoLabels(kObject), mask = Grey(kObject, 0), seen = Grey(kObject, 255), none;
  DrawLine(labels, 1, {100, 450}, {500, 430}, 5);
  ScanReport report;
  report.item_type = "card";
  report.profile = kProfilePhotometric;
  report.damaged_percent = 1;
  report.regions = {RegionOf(labels, 1, RegionKind::kLine, kLinesLayer)};
  report.regions_found = 1;
  const Assessment found = Assess({report, labels, mask, seen, none, {none, 0}, "", {}});
  ASSERT_EQ(found.defects.size(), 1U);
  EXPECT_EQ(found.defects[0].name, DefectName::kCreaseOrScratch);
  EXPECT_TRUE(found.defects[0].line);
  EXPECT_EQ(found.verdict, "Moderate wear: one crease or scratch.");
}

TEST(Assess, NamesNoDefectsOfADetectorThatMarksInk) {
  Card card;
  card.report().profile = kProfileClassic;
  const Assessment found = card.Assess();
  EXPECT_FALSE(found.judges);
  EXPECT_TRUE(found.defects.empty());
  EXPECT_FALSE(found.parts.empty());
}

}  // namespace
}  // namespace glint
