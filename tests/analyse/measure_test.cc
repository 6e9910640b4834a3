// SPDX-License-Identifier: Apache-2.0
#include "analyse/measure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stop_token>
#include <vector>

#include "analyse/frame_selection.h"
#include "analyse/lazy_motion.h"
#include "base/thread_pool.h"
#include "glint/backend.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/simulated_gpu.h"
#include "support/fake_video.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

constexpr Size kSize{96, 64};

/// A camera that moves by 0.5 px per frame, and by 2 px from each 7th frame to the next.
FakeVideo Clip(std::int64_t frames) {
  return {kSize, frames, [](std::int64_t i) {
            const std::int64_t jumps = (i + 6) / 7;
            const double at = 0.5 * static_cast<double>(i) + 1.5 * static_cast<double>(jumps);
            return ShiftedTexture(kSize, at, 0, 3);
          }};
}

class MeasureFramesTest : public testing::Test {
 protected:
  StageSet Stages(int threads) {
    pools_.push_back(std::make_unique<ThreadPool>(threads));
    auto choice = SelectBackend("cpu", BackendTable(), {.pool = pools_.back().get()});
    EXPECT_THAT(choice, IsOk());
    auto stages = StageSet::Make(choice->backend);
    EXPECT_THAT(stages, IsOk());
    return *std::move(stages);
  }

  std::vector<FrameMeasure> Measure(FakeVideo video, int threads, std::int64_t batch_bytes) {
    StageSet stages = Stages(threads);
    std::vector<FrameMeasure> measures;
    EXPECT_THAT(MeasureFrames(video, stages, {.motion_limit_px = 1, .batch_bytes = batch_bytes},
                              [&](const FrameMeasure& m, const VideoFrame& frame) {
                                EXPECT_EQ(m.index, frame.index);
                                measures.push_back(m);
                                return absl::OkStatus();
                              },
                              {}),
                IsOk());
    return measures;
  }

  std::vector<std::unique_ptr<ThreadPool>> pools_;  // outlive the stages that tests make
};

TEST_F(MeasureFramesTest, MeasuresEachFrameAgainstItsTruePredecessor) {
  const std::vector<FrameMeasure> measures = Measure(Clip(40), 2, 1 << 20);
  ASSERT_EQ(measures.size(), 40);
  EXPECT_FALSE(measures[0].motion256);
  EXPECT_FALSE(measures[0].eligible) << "the first frame has no motion";
  for (std::size_t i = 1; i < measures.size(); ++i) {
    const double expected = i % 7 == 1 ? 2.0 : 0.5;
    EXPECT_NEAR(static_cast<double>(*measures[i].motion256) / 256, expected, 0.25) << "frame " << i;
    EXPECT_EQ(measures[i].eligible, i % 7 != 1) << "frame " << i;
    EXPECT_GT(measures[i].sharpness16, 0);
  }
}

TEST_F(MeasureFramesTest, GivesTheSameForEveryBatchSizeAndThreadCount) {
  const std::vector<FrameMeasure> expected = Measure(Clip(37), 1, 1);
  for (const int threads : {1, 2, 3}) {
    for (const std::int64_t batch_bytes :
         {std::int64_t{1}, kSize.area() * 5 / 2 * 5, std::int64_t{1} << 30}) {
      const std::vector<FrameMeasure> actual = Measure(Clip(37), threads, batch_bytes);
      ASSERT_EQ(actual.size(), expected.size());
      for (std::size_t i = 0; i < actual.size(); ++i) {
        ASSERT_EQ(actual[i].sharpness16, expected[i].sharpness16) << "frame " << i;
        ASSERT_EQ(actual[i].motion256, expected[i].motion256) << "frame " << i;
      }
    }
  }
}

TEST_F(MeasureFramesTest, PassesOnTheErrorOfTheVideo) {
  FakeVideo video = Clip(40);
  video.FailAt(21, Error(Reason::kCorruptVideo, "frame 21 is broken"));
  StageSet stages = Stages(2);
  std::int64_t frames = 0;
  EXPECT_THAT(MeasureFrames(video, stages, {},
                            [&](const auto&, const auto&) {
                              ++frames;
                              return absl::OkStatus();
                            },
                            {}),
              FailsWith(Reason::kCorruptVideo, HasSubstr("frame 21")));
  EXPECT_LE(frames, 21);
}

TEST_F(MeasureFramesTest, StopsWithinABatchWhenCancelled) {
  FakeVideo video = Clip(100'000);
  StageSet stages = Stages(2);
  std::stop_source stop;
  const auto cancel_at_50 = [&](const FrameMeasure& m, const VideoFrame&) {
    if (m.index == 50) stop.request_stop();
    return absl::OkStatus();
  };
  EXPECT_THAT(MeasureFrames(video, stages, {}, cancel_at_50, CancelToken(stop.get_token())),
              FailsWith(Reason::kCancelled, HasSubstr("cancelled")));
  EXPECT_LT(video.summary().frames, 200);
}

TEST_F(MeasureFramesTest, StopsWithTheErrorOfTheSink) {
  FakeVideo video = Clip(100'000);
  StageSet stages = Stages(2);
  const auto refuse_10 = [](const FrameMeasure& m, const VideoFrame&) {
    return m.index == 10 ? Error(Reason::kDiskFull, "no room") : absl::OkStatus();
  };
  EXPECT_THAT(MeasureFrames(video, stages, {}, refuse_10, {}),
              FailsWith(Reason::kDiskFull, HasSubstr("no room")));
  EXPECT_LT(video.summary().frames, 200);
}

TEST_F(MeasureFramesTest, LeavesMotionOutWhenItIsNotWanted) {
  FakeVideo video = Clip(5);
  StageSet stages = Stages(1);
  const auto check = [](const FrameMeasure& m, const VideoFrame&) {
    EXPECT_GT(m.sharpness16, 0);
    EXPECT_FALSE(m.motion256);
    EXPECT_FALSE(m.eligible);
    return absl::OkStatus();
  };
  EXPECT_THAT(MeasureFrames(video, stages, {.motion = false}, check, {}), IsOk());
}

TEST_F(MeasureFramesTest, LazyMotionChoosesTheSameFramesAsAllMotion) {
  for (const int length : {1, 3, 4, 61, 120}) {
    const std::vector<FrameMeasure> all = Measure(Clip(length), 2, 1 << 20);
    GoldenFrameSelector expected(4, 9);
    for (const FrameMeasure& m : all) expected.Add(m, {.index = m.index});
    FakeVideo video = Clip(length);
    StageSet stages = Stages(2);
    GoldenFrameSelector chooser(4, 9);
    std::vector<FrameMeasure> frames;
    LazyMotion needed(stages, chooser, nullptr, 1, frames);
    const auto take = [&](const FrameMeasure& m, const VideoFrame& frame) {
      frames.push_back(m);
      return needed.Add(frame);
    };
    ASSERT_THAT(MeasureFrames(video, stages, {.motion = false}, take, {}), IsOk());
    ASSERT_THAT(needed.Finish(), IsOk());
    const auto choice = chooser.Finish();
    const auto expected_choice = expected.Finish();
    ASSERT_EQ(choice.size(), expected_choice.size());
    for (std::size_t i = 0; i < choice.size(); ++i) {
      EXPECT_EQ(choice[i].first.index, expected_choice[i].first.index);
      EXPECT_EQ(choice[i].first.motion256, expected_choice[i].first.motion256);
    }
    for (const FrameMeasure& m : frames) {
      if (!m.motion256) continue;
      EXPECT_EQ(m.motion256, all[static_cast<std::size_t>(m.index)].motion256);
    }
  }
}

TEST_F(MeasureFramesTest, LazyMotionSendsEachFrameToTheDeviceOnce) {
  const auto faults = std::make_shared<cuda::SimulatedFaults>();
  auto backend = cuda::MakeBackend([faults] { return cuda::MakeSimulatedGpu(faults); });
  ASSERT_THAT(backend, IsOk());
  auto stages = StageSet::Make(*std::move(backend));
  ASSERT_THAT(stages, IsOk());
  {  // so that the flow has its memory
    const Plane still = *stages->backend->Upload(ShiftedTexture(kSize, 0, 0, 3));
    double length = 0;
    ASSERT_THAT(stages->flow->MeanLengths(std::array{still, still}, {&length, 1}), IsOk());
  }
  GoldenFrameSelector chooser(8, 1);
  std::vector<FrameMeasure> frames;
  const int before = faults->waits;
  {
    LazyMotion needed(*stages, chooser, nullptr, 100, frames);
    for (std::int64_t i = 0; i < 12; ++i) {
      frames.push_back({.index = i, .sharpness16 = 1000 + i * 7 % 5});
      const VideoFrame frame{.index = i,
                             .luma = ShiftedTexture(kSize, 0.5 * static_cast<double>(i), 0, 3)};
      ASSERT_THAT(needed.Add(frame), IsOk());
    }
    ASSERT_THAT(needed.Finish(), IsOk());
  }
  // A transfer takes a wait, and so does the motion of a pair.
  std::vector<bool> travelled(frames.size());
  int pairs = 0;
  for (std::size_t i = 1; i < frames.size(); ++i) {
    if (!frames[i].motion256) continue;
    ++pairs;
    travelled[i - 1] = travelled[i] = true;
  }
  EXPECT_GT(pairs, 6);
  EXPECT_EQ(faults->waits - before, pairs + std::ranges::count(travelled, true));
}

TEST_F(MeasureFramesTest, AVideoOfOneFrameHasNoMotion) {
  const std::vector<FrameMeasure> measures = Measure(Clip(1), 2, 1 << 20);
  ASSERT_EQ(measures.size(), 1);
  EXPECT_FALSE(measures[0].motion256);
}

TEST_F(MeasureFramesTest, CountsClippedPixels) {
  FakeVideo video(kSize, 2, [](std::int64_t) {
    Plane plane = Plane::Host(kSize, PixelType::kU8);
    for (int y = 0; y < kSize.height; ++y) {
      for (int x = 0; x < kSize.width; ++x) {
        plane.Row<std::uint8_t>(y)[x] = y < kSize.height / 4 ? 255 : x < kSize.width / 2 ? 0 : 128;
      }
    }
    return plane;
  });
  const std::vector<FrameMeasure> measures = Measure(std::move(video), 1, 1 << 20);
  ASSERT_EQ(measures.size(), 2);
  EXPECT_DOUBLE_EQ(measures[1].clipped, 0.25 + 0.75 * 0.5);
  EXPECT_EQ(measures[1].motion256, 0);
}

}  // namespace
}  // namespace glint
