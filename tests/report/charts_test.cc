// SPDX-License-Identifier: Apache-2.0
#include "report/charts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/sample_report.h"

namespace glint {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A report of frames 0.1 s apart with this sharpness and motion (a negative one was not measured).
ScanReport Report(std::initializer_list<std::pair<double, double>> frames) {
  ScanReport report;
  report.motion_limit_px = 1;
  for (const auto& [sharpness, motion] : frames) {
    FrameMeasure frame{.index = static_cast<std::int64_t>(report.frames.size())};
    frame.timestamp_us = frame.index * 100'000;
    frame.sharpness16 = static_cast<std::int64_t>(sharpness * 16);
    if (motion >= 0) frame.motion256 = static_cast<std::int64_t>(motion * 256);
    report.frames.push_back(frame);
  }
  return report;
}

TEST(Charts, DrawEveryFrameOfAShortVideo) {
  const std::string chart = SharpnessChart(Report({{0, -1}, {100, 0}, {50, 0}}));
  EXPECT_THAT(chart, HasSubstr(R"(d="M0.0 100.0L500.0 0.0L1000.0 50.0")"));
  EXPECT_THAT(chart, HasSubstr("0.0 to 100.0 in 3 frames, median 50.0"));
}

TEST(Charts, LeaveAGapWhereMotionWasNotMeasured) {
  const std::string chart =
      MotionChart(Report({{0, -1}, {0, 1}, {0, 2}, {0, -1}, {0, 1}, {0, -1}}));
  // 1 px and 2 px on a scale up to 2; the single measure becomes a dot.
  EXPECT_THAT(chart, HasSubstr(R"(d="M200.0 50.0L400.0 0.0M800.0 50.0h.1")"));
  EXPECT_THAT(chart, HasSubstr("limit 1.00 px"));
}

TEST(Charts, CutOffJerksThatWouldFlattenTheRest) {
  ScanReport report = Report({{1, -1}});
  for (int i = 1; i < 100; ++i) {
    FrameMeasure frame{.index = i, .timestamp_us = std::int64_t{i} * 33'333, .motion256 = 128};
    if (i == 50) frame.motion256 = 256 * 400;
    report.frames.push_back(frame);
  }
  const std::string chart = MotionChart(report);
  EXPECT_THAT(chart, HasSubstr(R"(data-top="3")"));
  EXPECT_THAT(chart, HasSubstr("values over 3.00 are cut off"));
}

TEST(Charts, KeepEveryPeakOfALongVideoInFewPoints) {
  SampleOptions options;
  options.frames = 6000;
  SampleScan scan = MakeUnusableScan(options);
  scan.report.frames[3001].sharpness16 = std::int64_t{16} * 5000;
  const std::string chart = SharpnessChart(scan.report);
  // On a scale up to 6000 the peak of 5000 is a sixth from the top; its column holds others, too.
  EXPECT_TRUE(chart.find(" 16.7V98.") != std::string::npos);
  EXPECT_LT(chart.size(), 40'000U);
}

TEST(Charts, MarkGoldenFramesAndLeadToThem) {
  ScanReport report = Report({{0, -1}, {100, 0.5}, {50, 0.5}});
  report.golden.push_back({.measure = report.frames[1]});
  const std::string chart = MotionChart(report);
  EXPECT_THAT(chart, HasSubstr(R"(href="#golden-1" style="left:50.00%;top:66.67%")"));
  EXPECT_THAT(chart, HasSubstr("Golden frame 1: Motion 0.50 px/frame at 0:00.1"));
}

TEST(Charts, DoNotFailOnNothing) {
  EXPECT_EQ(SharpnessChart({}), "");
  EXPECT_EQ(MotionChart({}), "");
  for (const std::string& chart :
       {MotionChart(Report({{0, -1}})), SharpnessChart(Report({{0, -1}, {0, 0}}))}) {
    EXPECT_THAT(chart, Not(HasSubstr("nan")));
    EXPECT_THAT(chart, Not(HasSubstr("inf")));
  }
  EXPECT_THAT(MotionChart(Report({{0, -1}})), HasSubstr("not measured"));
}

}  // namespace
}  // namespace glint
