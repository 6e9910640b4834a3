// SPDX-License-Identifier: Apache-2.0
#include "report/json_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/json.h"
#include "support/sample_report.h"

namespace glint {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonText, KeepsShortThingsOnOneLineAndIndentsTheRest) {
  EXPECT_EQ(ReadableText({{"a", 1}, {"b", {1, 2}}}), "{\"a\":1,\"b\":[1,2]}\n");
  const std::string text(60, 'x');
  EXPECT_EQ(ReadableText({{"first", text}, {"second", {1, text}}}),
            "{\n  \"first\": \"" + text + "\",\n  \"second\": [1,\"" + text + "\"]\n}\n");
}

TEST(JsonText, RoundsNumbersAndHasNoNan) {
  EXPECT_EQ(Rounded(1.23456, 3).dump(), "1.235");
  EXPECT_EQ(Rounded(-0.0001, 2).dump(), "0.0");
  EXPECT_EQ(Rounded(3, 2).dump(), "3.0");
  EXPECT_TRUE(Rounded(std::numeric_limits<double>::quiet_NaN(), 2).is_null());
  EXPECT_TRUE(Rounded(std::numeric_limits<double>::infinity(), 2).is_null());
}

TEST(JsonReport, HoldsTheObjectAsTheScorerReadsIt) {
  const SampleScan scan = MakeSampleScan();
  const Json report = Json::parse(ToJson(scan.report));
  const Json& object = report["object"];
  EXPECT_EQ(object["size"], (Json{640, 900}));
  EXPECT_EQ(object["reference_frame"], scan.report.golden[0].measure.index);
  ASSERT_EQ(object["corners"].size(), 4);
  EXPECT_NEAR(object["corners"][2][0].get<double>(), scan.report.object->corners[2].x, 1e-4);
  EXPECT_NEAR(object["corners"][2][1].get<double>(), scan.report.object->corners[2].y, 1e-4);
}

TEST(JsonReport, IsTheSameBytesForTheSameReport) {
  EXPECT_EQ(ToJson(MakeSampleScan().report), ToJson(MakeSampleScan().report));
}

TEST(JsonReport, SaysNullForWhatIsUnknown) {
  ScanReport report;
  report.frames = {{.index = 0}};
  const Json json = Json::parse(ToJson(report));
  EXPECT_TRUE(json["object"].is_null());
  EXPECT_TRUE(json["damaged_percent"].is_null());
  EXPECT_TRUE(json["frames"][0]["motion_px"].is_null());
}

TEST(JsonReport, CountsWhyFramesWereRejectedAndNamesTheCalmest) {
  ScanReport report;
  report.motion_limit_px = 1;
  for (const std::int64_t motion256 : {0, 900, 300, 100, 301, 300, 5000, 999}) {
    FrameMeasure frame{.index = static_cast<std::int64_t>(report.frames.size())};
    if (frame.index > 0) frame.motion256 = motion256;
    frame.eligible = frame.index > 0 && motion256 <= 256;
    report.frames.push_back(frame);
  }
  const Json selection = Json::parse(ToJson(report))["selection"];
  EXPECT_EQ(selection["measured"], 8);
  EXPECT_EQ(selection["eligible"], 1);
  EXPECT_EQ(selection["unmeasured"], 1);
  EXPECT_EQ(selection["moving"], 6);
  EXPECT_EQ(selection["near_misses"], (Json{2, 5, 4, 1, 7}));
}

TEST(JsonReport, SaysWhatItWasComparedWith) {
  ScanReport report;
  report.regions.resize(3);
  Json json = Json::parse(ToJson(report));
  EXPECT_FALSE(json.contains("reference"));
  EXPECT_FALSE(json["regions"][0].contains("new"));

  report.reference = {.name = "good.png", .compared_percent = 87.65432, .changed_percent = 1.5};
  json = Json::parse(ToJson(report))["reference"];
  EXPECT_EQ(json["file"], "good.png");
  EXPECT_TRUE(json["scan_id"].is_null());
  EXPECT_DOUBLE_EQ(json["changed_percent"].get<double>(), 1.5);
  EXPECT_NEAR(json["compared_percent"].get<double>(), 87.65432, 1e-3);
  EXPECT_FALSE(json.contains("new_regions"));

  report.reference->scan_id = "earlier";
  report.reference->new_regions = 1;
  report.regions[0].is_new = true;
  report.regions[1].is_new = false;
  report.regions[2].kind = RegionKind::kFading;
  json = Json::parse(ToJson(report));
  EXPECT_EQ(json["reference"]["scan_id"], "earlier");
  EXPECT_EQ(json["reference"]["new_regions"], 1);
  EXPECT_EQ(json["regions"][0]["new"], true);
  EXPECT_EQ(json["regions"][1]["new"], false);
  EXPECT_FALSE(json["regions"][2].contains("new"));
  EXPECT_EQ(json["regions"][2]["kind"], "fading");
}

TEST(JsonReport, SurvivesTextThatIsNotUtf8) {
  ScanReport report;
  report.warnings = {"file \xff\xfe.mp4"};
  EXPECT_EQ(Json::parse(ToJson(report))["warnings"][0], "file \uFFFD\uFFFD.mp4");
}

TEST(JsonTiming, HoldsTheStepsInOrder) {
  const ScanTiming timing{.step_ms = {{"decoding", 12.34567}, {"measuring", 2}},
                          .wall_ms = 14.5,
                          .cpu_ms = 20,
                          .peak_rss_bytes = 1 << 20,
                          .threads = 2};
  EXPECT_EQ(ToJson(timing),
            "{\n  \"schema_version\": 1,\n  \"wall_ms\": 14.5,\n  \"cpu_ms\": 20.0,\n"
            "  \"peak_rss_bytes\": 1048576,\n  \"threads\": 2,\n"
            "  \"steps\": [{\"step\":\"decoding\",\"ms\":12.346},"
            "{\"step\":\"measuring\",\"ms\":2.0}]\n}\n");
}

}  // namespace
}  // namespace glint
