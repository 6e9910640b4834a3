// SPDX-License-Identifier: Apache-2.0
#include "bench/eval/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "glint/error.h"
#include "image/png.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

Plane Grey(Size size) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y)
    std::fill_n(plane.Row<std::uint8_t>(y), size.width, std::uint8_t{0});
  return plane;
}

void Draw(const Plane& plane, const Rectangle& box, std::uint8_t value) {
  for (int y = box.y; y < box.y + box.height; ++y)
    std::fill_n(plane.Row<std::uint8_t>(y) + box.x, box.width, value);
}

constexpr Rectangle kCrease = {30, 20, 20, 2};
constexpr Rectangle kTear = {60, 0, 4, 20};
constexpr Rectangle kStain = {70, 50, 10, 10};

/// A crease, a tear and a stain on 100 x 80 object pixels, one to one in a frame of 200 x 120.
ScanLabels ThreeDefects() {
  ScanLabels labels;
  labels.name = "three";
  labels.flat_size = {100, 80};
  labels.display_size = {200, 120};
  labels.corners = {{Point{20, 10}, {120, 10}, {120, 90}, {20, 90}}};
  labels.defects = {{1, "crease", ""}, {2, "tear", ""}, {3, "stain", ""}};
  labels.ids = Grey(labels.flat_size);
  Draw(labels.ids, kCrease, 1);
  Draw(labels.ids, kTear, 2);
  Draw(labels.ids, kStain, 3);
  return labels;
}

/// A folder with a result that marks what was drawn, at the labels' corners.
class Result {
 public:
  void Write(const std::string& name, const Plane& mask) {
    const auto png = EncodePng(mask);
    ASSERT_THAT(png, IsOk());
    folder_.Write(name, {reinterpret_cast<const char*>(png->data()), png->size()});
  }
  void WriteText(const std::string& name, const std::string& text) { folder_.Write(name, text); }
  void WriteReport(const std::string& corners) {
    WriteText("report.json",
              R"({"outcome": "scanned", "object": {"reference_frame": 0, "size": [100, 80],
                                      "corners": )" +
                  corners + "}}");
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TempFolder folder_;
};

constexpr const char* kUpright = "[[20, 10], [120, 10], [120, 90], [20, 90]]";

TEST(EvaluateScan, JudgesEachFamilyWithoutTheOthers) {
  Result result;
  const Plane mask = Grey({100, 80});
  Draw(mask, kCrease, 255);
  Draw(mask, kTear, 255);
  result.Write("mask.png", mask);
  const Plane outline = Grey({100, 80});
  Draw(outline, kTear, 255);
  Draw(outline, {0, 40, 4, 20}, 255);  // as much that is wrong
  std::filesystem::create_directory(result.path() / "layers");
  result.Write("layers/outline.png", outline);
  result.WriteReport(kUpright);
  const auto scan = EvaluateScan(ThreeDefects(), result.path());
  ASSERT_THAT(scan, IsOk());
  EXPECT_FALSE(scan->labels_turned);
  EXPECT_TRUE(scan->damaged);
  ASSERT_TRUE(scan->lines);
  EXPECT_EQ(scan->lines->f, 1);  // the tear is no mistake, the stain not missed
  ASSERT_TRUE(scan->outline);
  EXPECT_EQ(scan->outline->precision, 0.5);
  EXPECT_EQ(scan->outline->recall, 1);
  ASSERT_EQ(scan->defects.size(), 3U);
  EXPECT_TRUE(scan->defects[1].found);
  EXPECT_FALSE(scan->defects[2].found);
}

TEST(VisibilityOf, GoesByTheChangeAndByLostInk) {
  EXPECT_EQ(VisibilityOf({.peak_delta = 8.0}), Visibility::kPlain);
  EXPECT_EQ(VisibilityOf({.peak_delta = 7.9}), Visibility::kBarely);
  EXPECT_EQ(VisibilityOf({.peak_delta = 3.9}), Visibility::kNot);
  EXPECT_EQ(VisibilityOf({.peak_delta = 0.5, .lost_ink = 0.25}), Visibility::kPlain);
  EXPECT_EQ(VisibilityOf({.peak_delta = 0.5, .lost_ink = 0.24}), Visibility::kNot);
  EXPECT_EQ(VisibilityOf({.peak_delta = 9.0, .parallel_delta = 4.5}), Visibility::kPlain);
  EXPECT_EQ(VisibilityOf({.peak_delta = 9.0, .parallel_delta = 4.6}), Visibility::kBarely)
      << "print and gloss beside it change half as much";
  EXPECT_EQ(VisibilityOf({.peak_delta = 9.0, .parallel_delta = 4.6, .lost_ink = 0.25}),
            Visibility::kPlain);
  EXPECT_EQ(VisibilityOf({}), Visibility::kPlain) << "what is not measured is asked for";
}

TEST(EvaluateScan, AsksForVisibleLinesApart) {
  ScanLabels labels = ThreeDefects();
  constexpr Rectangle kScratch = {10, 60, 20, 2};
  labels.hand = "tilted";
  labels.defects.push_back({.id = 4, .type = "scratch", .peak_delta = 5.0});
  Draw(labels.ids, kScratch, 4);
  Result result;
  const Plane mask = Grey({100, 80});
  Draw(mask, kCrease, 255);
  result.Write("mask.png", mask);
  result.WriteReport(kUpright);
  const auto missed = EvaluateScan(labels, result.path());
  ASSERT_THAT(missed, IsOk());
  EXPECT_EQ(missed->lines->recall, 0.5);
  EXPECT_EQ(missed->visible_lines->f, 1);
  Draw(mask, kScratch, 255);
  result.Write("mask.png", mask);
  const auto found = EvaluateScan(labels, result.path());
  EXPECT_EQ(found->visible_lines->precision, 1);
  EXPECT_EQ(found->defects[3].visibility, Visibility::kBarely);

  const std::array both = {*missed, *found};
  EXPECT_EQ(CountLines(both, Visibility::kPlain).found, 2);
  EXPECT_EQ(CountLines(both, Visibility::kBarely).known, 2);
  EXPECT_EQ(CountLines(both, Visibility::kBarely).found, 1);
  EXPECT_EQ(SummariseVisibleLines(both, true).scans, 2);
  EXPECT_EQ(SummariseVisibleLines(both, false).scans, 0);
  EXPECT_THAT(EvaluationTable(both),
              AllOf(HasSubstr("visible lines: mean F 1.000, worst 1.000 over 2 scans, 2/2 found; "
                              "of barely visible ones 1/2"),
                    HasSubstr("mean F 1.000 of 2 held or tilted")));
  EXPECT_EQ(ToJson(*missed)["defects"][3]["visibility"], "barely");
  EXPECT_EQ(ToJson(*missed)["hand"], "tilted");
  EXPECT_EQ(SummaryJson(both)["visible_lines"]["mean_f"], 1);
  EXPECT_EQ(SummaryJson(both)["visible_lines"]["barely"]["found"], 1);
}

TEST(EvaluateScan, TurnsLabelsThatStandOnTheirHeadsAndSaysSo) {
  Result result;
  const Plane mask = Grey({100, 80});
  Draw(mask, {50, 58, 20, 2}, 255);  // the crease, turned by 180 degrees
  result.Write("mask.png", mask);
  result.WriteReport("[[79, 29], [179, 29], [179, 109], [79, 109]]");  // (x, y) -> (199-x, 119-y)
  const auto scan = EvaluateScan(ThreeDefects(), result.path());
  ASSERT_THAT(scan, IsOk());
  EXPECT_TRUE(scan->labels_turned);
  EXPECT_NEAR(*scan->corner_error_percent, 0, 1e-5);
  EXPECT_EQ(scan->lines->f, 1);
  EXPECT_THAT(EvaluationTable({&*scan, 1}), HasSubstr("labels turned by 180 degrees"));
}

TEST(EvaluateScan, TellsAWrongOutlineFromTurnedLabels) {
  Result result;
  result.Write("mask.png", Grey({100, 80}));
  result.WriteReport("[[40, 10], [140, 10], [140, 90], [40, 90]]");  // 20 px off either way
  const auto scan = EvaluateScan(ThreeDefects(), result.path());
  ASSERT_THAT(scan, IsOk());
  EXPECT_FALSE(scan->labels_turned);
  EXPECT_GT(*scan->corner_error_percent, 10);
}

TEST(EvaluateScan, WithoutLayersThereIsNoScoreOfTheOutline) {
  Result result;
  result.Write("mask.png", Grey({100, 80}));
  result.WriteReport(kUpright);
  const auto scan = EvaluateScan(ThreeDefects(), result.path());
  ASSERT_THAT(scan, IsOk());
  EXPECT_FALSE(scan->outline);
  EXPECT_FALSE(scan->outline_marked);
  EXPECT_FALSE(EvaluateScan(ThreeDefects(), result.path() / "nowhere").ok());
}

TEST(EvaluateScan, WithoutUsableFramesNothingIsFound) {
  Result result;  // such a scan leaves no mask
  result.WriteText("report.json", R"({"outcome": "no_usable_frames", "object": null})");
  const auto scan = EvaluateScan(ThreeDefects(), result.path());
  ASSERT_THAT(scan, IsOk());
  EXPECT_EQ(scan->marked, 0);
  ASSERT_TRUE(scan->lines && scan->outline);
  EXPECT_EQ(scan->lines->recall, 0);
  EXPECT_EQ(scan->outline->recall, 0);
  ASSERT_EQ(scan->defects.size(), 3U);
  EXPECT_FALSE(scan->defects[0].found);
  EXPECT_THAT(EvaluationTable({&*scan, 1}),
              AllOf(HasSubstr("no usable frames"), HasSubstr("mean F 0.000")));
  EXPECT_EQ(ToJson(*scan)["outcome"], "no_usable_frames");
  EXPECT_EQ(SummaryJson({&*scan, 1})["without_usable_frames"], 1);
}

TEST(EvaluateScan, WhatWasNotJudgedFindsNothing) {
  Result result;
  result.WriteText("report.json", R"({"outcome": "not_judged", "object": null})");
  const auto scan = EvaluateScan(ThreeDefects(), result.path());
  ASSERT_THAT(scan, IsOk());
  ASSERT_TRUE(scan->lines);
  EXPECT_EQ(scan->lines->recall, 0);
  EXPECT_THAT(EvaluationTable({&*scan, 1}), HasSubstr("not judged"));
  EXPECT_EQ(SummaryJson({&*scan, 1})["not_judged"], 1);
  EXPECT_EQ(SummaryJson({&*scan, 1})["without_usable_frames"], 0);
}

TEST(EvaluationTable, NamesAFailedScanAndCountsItNowhere) {
  std::vector<ScanEvaluation> scans(2);
  scans[0] = {.name = "good", .damaged = true, .lines = ScanScore::Agreement{1, 1, 0.9}};
  scans[1] = {.name = "bad", .failure = Error(Reason::kCorruptVideo, "bad.mp4 is torn")};
  EXPECT_THAT(EvaluationTable(scans), AllOf(HasSubstr("bad  failed: CORRUPT_VIDEO\n"),
                                            HasSubstr("mean F 0.900, worst 0.900 over 1 scans"),
                                            HasSubstr("1 of 2 scans failed")));
  const auto bad = ToJson(scans[1]);
  EXPECT_EQ(bad["outcome"], "failed");
  EXPECT_EQ(bad["reason"], "CORRUPT_VIDEO");
  EXPECT_EQ(bad["message"], "bad.mp4 is torn");
  EXPECT_FALSE(bad.contains("marked"));
  const auto summary = SummaryJson(scans);
  EXPECT_EQ(summary["scans"], 2);
  EXPECT_EQ(summary["failed"], 1);
  EXPECT_EQ(summary["lines_mean_f"], 0.9);
}

TEST(EvaluateTypes, CountsAndAveragesOverScans) {
  std::vector<ScanEvaluation> scans(2);
  scans[0].defects = {{1, "tear", 0.8, true}, {2, "crease", 0.2, false}};
  scans[1].defects = {{1, "tear", 0.4, false}};
  const auto types = EvaluateTypes(scans);
  ASSERT_EQ(types.size(), 2U);
  EXPECT_EQ(types.at("tear").found, 1);
  EXPECT_EQ(types.at("tear").known, 2);
  EXPECT_NEAR(types.at("tear").covered, 0.6, 1e-12);
  EXPECT_EQ(types.at("crease").found, 0);
  EXPECT_THAT(EvaluateTypes({}), IsEmpty());
}

TEST(SummaryJson, HasTheMeanAndTheWorstOfTheLinesAndTheWorstCleanScan) {
  std::vector<ScanEvaluation> scans(4);
  scans[0].lines = {1, 1, 0.9};
  scans[1].lines = {1, 1, 0.8};
  scans[0].damaged = scans[1].damaged = true;
  scans[0].marked = 0.1;  // of a damaged scan: does not count
  scans[2].marked = 0.01;
  scans[3].marked = 0.02;
  const auto json = SummaryJson(scans);
  EXPECT_NEAR(json["lines_mean_f"].get<double>(), 0.85, 1e-12);
  EXPECT_EQ(json["lines_worst_f"], 0.8);
  EXPECT_EQ(json["clean_most_marked"], 0.02);
  EXPECT_TRUE(SummaryJson({})["lines_mean_f"].is_null());
}

TEST(FamilyOf, KnowsEveryTypeThatIsNoLine) {
  EXPECT_EQ(FamilyOf("tear"), DamageFamily::kOutline);
  EXPECT_EQ(FamilyOf("missing_corner"), DamageFamily::kOutline);
  EXPECT_EQ(FamilyOf("corner_wear"), DamageFamily::kOutline);
  EXPECT_EQ(FamilyOf("scuff"), DamageFamily::kAreas);
  EXPECT_EQ(FamilyOf("stain"), DamageFamily::kColour);
  EXPECT_EQ(FamilyOf("crease"), DamageFamily::kLines);
  EXPECT_EQ(FamilyOf("crack"), DamageFamily::kLines);
}

}  // namespace
}  // namespace glint
