// SPDX-License-Identifier: Apache-2.0
#include "scan/step_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace glint {
namespace {

using testing::ElementsAre;
using testing::Pair;

class Recorder final : public ProgressSink {
 public:
  void OnProgress(const Progress& progress) override { events.push_back(progress); }
  std::vector<Progress> events;
};

TEST(StepClock, NamesEachStepOnceWithItsTime) {
  StepClock clock(nullptr);
  clock.Enter(ScanStep::kDownloading);
  clock.Enter(ScanStep::kMeasuring);
  clock.Advance(0.5, 10, 20);
  const ScanTiming timing = clock.SoFar(3);
  EXPECT_THAT(timing.step_ms,
              ElementsAre(Pair("downloading", testing::Ge(0)), Pair("measuring", testing::Ge(0))));
  EXPECT_EQ(timing.threads, 3);
  EXPECT_GT(timing.peak_rss_bytes, 1'000'000);
  EXPECT_GE(timing.wall_ms, timing.step_ms[0].second + timing.step_ms[1].second - 1e-6);
}

TEST(StepClock, ADownloadShowsItsBytes) {
  Recorder recorder;
  StepClock clock(&recorder);
  clock.Enter(ScanStep::kDownloading);
  clock.Downloaded(300, 0);
  EXPECT_EQ(recorder.events.back().fraction, 0) << "nobody knows how much is left";
  clock.Downloaded(500, 1000);
  EXPECT_EQ(recorder.events.back().bytes, 500);
  EXPECT_EQ(recorder.events.back().bytes_of, 1000);
  EXPECT_GT(recorder.events.back().fraction, 0);
  clock.Enter(ScanStep::kMeasuring);
  EXPECT_EQ(recorder.events.back().bytes, 500);
}

TEST(StepClock, ProgressNeverFallsAndEndsAtOne) {
  Recorder recorder;
  StepClock clock(&recorder);
  clock.Enter(ScanStep::kMeasuring);
  clock.Advance(0.9, 90, 100);
  clock.Advance(0.2, 91, 100);
  clock.Advance(7, 92, 100);
  clock.Enter(ScanStep::kSelecting);
  clock.Enter(ScanStep::kDone);
  double last = 0;
  for (const Progress& event : recorder.events) {
    EXPECT_GE(event.fraction, last);
    last = event.fraction;
  }
  EXPECT_EQ(last, 1);
  EXPECT_EQ(recorder.events.back().frames, 92);
}

TEST(StepClock, TwoSidesShareTheProgressAndTheirStepsAddUp) {
  Recorder recorder;
  StepClock clock(&recorder);
  clock.Enter(ScanStep::kDownloading);
  for (const int side : {0, 1}) {
    clock.BeginSide(side, 2);
    clock.Enter(ScanStep::kMeasuring);
    clock.Advance(1, 10, 10);
    clock.Enter(ScanStep::kRendering);
  }
  clock.Enter(ScanStep::kUploading);
  double last = 0;
  std::vector<double> rendering;
  for (const Progress& event : recorder.events) {
    EXPECT_GE(event.fraction, last);
    last = event.fraction;
    if (event.step == ScanStep::kRendering) rendering.push_back(event.fraction);
  }
  EXPECT_THAT(rendering, ElementsAre(testing::Lt(0.55), testing::Gt(0.85)));
  EXPECT_THAT(clock.SoFar(1).step_ms,
              ElementsAre(Pair("downloading", testing::_), Pair("measuring", testing::_),
                          Pair("rendering", testing::_), Pair("uploading", testing::_)));
}

}  // namespace
}  // namespace glint
