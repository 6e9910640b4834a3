// SPDX-License-Identifier: Apache-2.0
#include "api/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::ElementsAre;

ScanReport Report() {
  ScanReport report;
  report.outcome = ScanOutcome::kScanned;
  report.damaged_percent = 3.5;
  report.named_regions = {{"spine", {}, 7.25}, {"surface", {}, std::nullopt}};
  report.regions_found = 12;
  report.golden = {{.measure = {.index = 30, .timestamp_us = 1'000'400}},
                   {.measure = {.index = 7, .timestamp_us = 233'000}}};
  report.advice = {"hold still"};
  report.warnings = {"odd byte \xFF"};
  report.device = "cpu";
  return report;
}

TEST(Result, SurvivesTheJobStore) {
  const std::vector<StoredObject> objects = {{"regions/spine_mask.png", "image/png", 10},
                                             {"report.json", "application/json", 20}};
  const auto result = DecodeResult(EncodeResult(Report(), 1234.6, "scan-1", objects), nullptr);
  ASSERT_THAT(result, IsOk());
  const v1::ScanSummary& summary = result->summary();
  EXPECT_EQ(summary.outcome(), v1::OUTCOME_SCANNED);
  EXPECT_EQ(summary.damaged_percent(), 3.5);
  EXPECT_EQ(summary.named_regions(0).name(), "spine");
  EXPECT_EQ(summary.named_regions(0).damaged_percent(), 7.25);
  EXPECT_FALSE(summary.named_regions(1).has_damaged_percent()) << "unknown is not zero";
  EXPECT_EQ(summary.regions(), 12);
  EXPECT_THAT(summary.golden_frames(), ElementsAre(30, 7));
  EXPECT_THAT(summary.golden_times_ms(), ElementsAre(1000, 233));
  EXPECT_THAT(summary.warnings(), ElementsAre("odd byte \xEF\xBF\xBD"));
  EXPECT_EQ(result->objects(0).key(), "scan-1/regions/spine_mask.png");
  EXPECT_EQ(result->objects(0).bytes(), 10);
  EXPECT_EQ(result->objects(1).content_type(), "application/json");
  EXPECT_EQ(result->objects(1).url(), "");
  EXPECT_EQ(result->wall_time().seconds(), 1);
  EXPECT_EQ(result->wall_time().nanos(), 235'000'000);
}

TEST(Result, SaysWhyAScanWasNotJudged) {
  ScanReport report = Report();
  report.outcome = ScanOutcome::kNotJudged;
  report.not_judged = {.cause = NotJudgedCause::kFewViews, .timestamp_us = 2'500'900};
  const auto result = DecodeResult(EncodeResult(report, 1, "scan-1", {}), nullptr);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->summary().outcome(), v1::OUTCOME_NOT_JUDGED);
  EXPECT_EQ(result->summary().not_judged().cause(), "few_views");
  EXPECT_EQ(result->summary().not_judged().time_ms(), 2500);
}

TEST(Result, OfTwoSidesHasBothAndTheirVerdict) {
  BackResult back{.report = Report(),
                  .both = {.verdict = "Light wear: nothing on the front; one dent on the back.",
                           .severity = Severity::kLight}};
  back.report.damaged_percent = 9;
  const auto result =
      DecodeResult(EncodeResult(Report(), 1, "scan-1", {}, std::nullopt, back), nullptr);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->summary().damaged_percent(), 3.5);
  EXPECT_EQ(result->back().damaged_percent(), 9);
  EXPECT_EQ(result->both_sides().verdict(), back.both.verdict);
  EXPECT_EQ(result->both_sides().severity(), "light");
  const auto one_side = DecodeResult(EncodeResult(Report(), 1, "scan-1", {}), nullptr);
  EXPECT_FALSE(one_side->has_back() || one_side->has_both_sides());
}

TEST(Result, LinksAreMadeWhenItIsRead) {
  const std::vector<StoredObject> objects = {{"a.png", "image/png", 1},
                                             {"b/c.png", "image/png", 2}};
  for (const std::string prefix : {"", "one", "one/two"}) {
    const auto links =
        [&](std::string_view asked,
            std::span<const std::string> names) -> absl::StatusOr<std::vector<ObjectLink>> {
      EXPECT_EQ(asked, prefix);
      EXPECT_THAT(std::vector(names.begin(), names.end()), ElementsAre("a.png", "b/c.png"));
      return std::vector<ObjectLink>{{"key a", "url a"}, {"key b", "url b"}};
    };
    const auto result = DecodeResult(EncodeResult(Report(), 1, prefix, objects), links);
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(result->objects(0).key(), "key a");
    EXPECT_EQ(result->objects(1).url(), "url b");
  }
}

TEST(Result, IsShownWithoutLinksWhenTheStoreDoesNotAnswer) {
  const std::vector<StoredObject> objects = {{"a.png", "image/png", 1}};
  const auto refuse = [](std::string_view,
                         std::span<const std::string>) -> absl::StatusOr<std::vector<ObjectLink>> {
    return Error(Reason::kOutputUnwritable, "no answer");
  };
  const auto result = DecodeResult(EncodeResult(Report(), 1, "p", objects), refuse);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->objects(0).url(), "");
  EXPECT_EQ(result->summary().regions(), 12);
}

TEST(Result, BytesThatAreNoneAreAnError) {
  EXPECT_THAT(DecodeResult("\xFF\xFF\xFF", nullptr), FailsWith(Reason::kInternal, testing::_));
}

}  // namespace
}  // namespace glint
