// SPDX-License-Identifier: Apache-2.0
// Measuring with two batches under way, on a simulated GPU whose streams work in several orders:
// the CPU's numbers in all of them, and a wait that is left out shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/thread_pool.h"
#include "stages/cpu/backend.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/measure_in_batches.h"
#include "stages/cuda/simulated_gpu.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint::cuda {
namespace {

using testing::HasSubstr;

constexpr Size kSize{53, 41};
// The second batch is longer than the first, so that the flow's memory has to grow under way.
constexpr std::array<std::size_t, 8> kBatches = {1, 3, 3, 16, 2, 17, 1, 4};
constexpr int kFrames = 47;

using MeasureTest = MeasuringTest;

class MeasureInOrder : public MeasureTest, public testing::WithParamInterface<SimulatedOrder> {};

INSTANTIATE_TEST_SUITE_P(Orders, MeasureInOrder, SimulatedOrders());

TEST_P(MeasureInOrder, GivesTheNumbersOfTheCpuForBatchesOfAnyLength) {
  faults_->order = GetParam();
  const std::vector<Plane> frames = Frames(kFrames, kSize);
  for (const bool motion : {true, false}) {
    const Measures found = ExpectTheCpusNumbers(frames, kBatches, motion);
    ASSERT_EQ(found.lengths.size(), motion ? frames.size() : 0);
    if (motion) {
      EXPECT_GT(found.lengths[1], 0);
    }
  }
}

TEST_P(MeasureInOrder, FramesOfDifferentSizesHaveStatistics) {
  faults_->order = GetParam();
  std::vector<Plane> frames;
  for (const Size size : {Size{1, 1}, Size{300, 2}, Size{17, 40}, Size{2, 90}, Size{64, 64}}) {
    frames.push_back(NoisePlane(size, static_cast<unsigned>(size.width)));
  }
  const std::array<std::size_t, 3> batches = {2, 1, 2};
  const auto expected = Measure(*OnCpu(), frames, batches, false);
  const auto found = Measure(*OnGpu(), frames, batches, false);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(*found, *expected);
}

TEST_F(MeasureTest, ComputingWithoutWaitingForTheCopyWouldShow) {
  const std::vector<Plane> frames = Frames(6, kSize);
  const std::array<std::size_t, 3> batches = {2, 2, 2};
  const auto expected = Measure(*OnCpu(), frames, batches, false);
  faults_->forgets_wait_for = true;
  const auto found = Measure(*OnGpu(), frames, batches, false);
  ASSERT_THAT(found, IsOk());
  EXPECT_NE(found->statistics, expected->statistics);
}

TEST_F(MeasureTest, ABatchTakesOneWaitAndNoWorkOfTheNextOne) {
  const std::vector<Plane> frames = Frames(16, kSize);
  const auto stage = OnGpu();
  const std::span all(frames);
  std::vector<LumaStatistics> statistics(4);
  std::vector<double> lengths(4);
  ASSERT_THAT(stage->Begin(all.first(4), true), IsOk());
  ASSERT_THAT(stage->Begin(all.subspan(4, 4), true), IsOk());
  const int waits = faults_->waits, launches = faults_->launches;
  ASSERT_THAT(stage->End(statistics, lengths), IsOk());
  const int of_first = faults_->launches - launches;
  EXPECT_EQ(faults_->waits - waits, 1);
  ASSERT_THAT(stage->Begin(all.subspan(8, 4), true), IsOk());
  ASSERT_THAT(stage->End(statistics, lengths), IsOk());
  const int of_second = faults_->launches - launches - of_first;
  ASSERT_THAT(stage->End(statistics, lengths), IsOk());
  EXPECT_EQ(faults_->waits - waits, 3);
  EXPECT_GT(of_second, 0) << "the second batch was not computed before it was waited for";
  EXPECT_EQ(faults_->launches - launches, of_first + 2 * of_second);
}

TEST_F(MeasureTest, WorksWithoutHostMemoryOfItsOwn) {
  faults_->no_host_memory = true;
  const std::vector<Plane> frames = Frames(kFrames, kSize);
  const auto expected = Measure(*OnCpu(), frames, kBatches, true);
  const auto found = Measure(*OnGpu(), frames, kBatches, true);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(*found, *expected);
}

TEST_F(MeasureTest, GivesEverythingBack) {
  const std::vector<Plane> frames = Frames(kFrames, kSize);
  ASSERT_THAT(Measure(*OnGpu(), frames, kBatches, true), IsOk());
  EXPECT_EQ(faults_->host_blocks, 0);
  const std::size_t kept = faults_->in_use;
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(Measure(*OnGpu(), frames, kBatches, true), IsOk());
    EXPECT_EQ(faults_->in_use, kept);
  }
}

TEST_F(MeasureTest, AStageThatIsLetGoWithWorkUnderWayWaitsForIt) {
  const std::vector<Plane> frames = Frames(8, kSize);
  {
    const auto stage = OnGpu();
    ASSERT_THAT(stage->Begin(std::span(frames).first(4), true), IsOk());
    ASSERT_THAT(stage->Begin(std::span(frames).subspan(4), true), IsOk());
  }
  EXPECT_EQ(faults_->host_blocks, 0);
  EXPECT_GT(faults_->launches, 0);
}

TEST_F(MeasureTest, ABrokenGpuIsReportedAtAnyLaunch) {
  const std::vector<Plane> frames = Frames(8, kSize);
  const std::array<std::size_t, 3> batches = {3, 3, 2};
  for (int left = 0; left < 12; ++left) {
    const auto faults = std::make_shared<SimulatedFaults>();
    faults->launches_left = left;
    const auto backend = *MakeBackend([faults] { return MakeSimulatedGpu(faults); });
    EXPECT_THAT(Measure(**backend->MakeMeasure(), frames, batches, true),
                FailsWith(Reason::kDeviceUnavailable, HasSubstr("illegal address")))
        << left;
    EXPECT_EQ(faults->host_blocks, 0);
  }
}

TEST_F(MeasureTest, FramesThatDoNotFitIntoTheGpuAreRefused) {
  const std::vector<Plane> frames = Frames(8, {256, 256});
  faults_->memory = faults_->in_use + 200'000;
  const std::array<std::size_t, 2> batches = {4, 4};
  EXPECT_THAT(Measure(*OnGpu(), frames, batches, false),
              FailsWith(Reason::kOutOfMemory, testing::_));
  faults_->memory = std::size_t{1} << 30;
  EXPECT_THAT(Measure(*OnGpu(), frames, batches, false), IsOk());
}

TEST_F(MeasureTest, MisuseIsRefused) {
  const std::vector<Plane> frames = Frames(4, kSize);
  const std::vector<Plane> larger = Frames(1, {64, 64});
  for (const auto& stage : {OnCpu(), OnGpu()}) {
    std::vector<LumaStatistics> statistics(4);
    std::vector<double> lengths(4);
    const auto refused = FailsWith(Reason::kInternal, HasSubstr("measuring"));
    EXPECT_THAT(stage->End(statistics, lengths), refused);
    EXPECT_THAT(stage->Begin({}, true), refused);
    EXPECT_THAT(stage->Begin(Frames(1, {15, 40}), true), refused) << "too small for flow";
    for (int i = 0; i < stage->most_in_flight(); ++i) {
      ASSERT_THAT(stage->Begin(frames, true), IsOk());
    }
    EXPECT_THAT(stage->Begin(frames, true), refused) << "too many under way";
    EXPECT_THAT(stage->End(std::span(statistics).first(3), lengths), refused);
    EXPECT_THAT(stage->End(statistics, {}), refused);
    EXPECT_THAT(stage->End(statistics, lengths), IsOk());
    EXPECT_THAT(stage->Begin(larger, true), refused);
    const auto on_gpu = gpu_->Upload(frames[0]);
    EXPECT_THAT(stage->Begin({&*on_gpu, 1}, true), refused) << "frames come from the host";
  }
}

}  // namespace
}  // namespace glint::cuda
