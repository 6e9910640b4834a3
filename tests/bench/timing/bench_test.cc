// SPDX-License-Identifier: Apache-2.0
// What `glint bench` does, on the CPU and on a simulated GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/thread_pool.h"
#include "bench/timing/batch_table.h"
#include "bench/timing/scan_rows.h"
#include "bench/timing/stage_rows.h"
#include "bench/timing/stage_work.h"
#include "bench/timing/timing.h"
#include "bench/timing/tune.h"
#include "scan/simulated_devices.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::HasSubstr;

constexpr Size kSize{48, 36};

class BenchTest : public testing::Test {
 protected:
  BenchTest() : cpu_(*SelectBackend("cpu", BackendTable(), {.pool = &pool_})) {}

  ThreadPool pool_{2};
  BackendChoice cpu_;
  std::shared_ptr<cuda::SimulatedFaults> faults_ = std::make_shared<cuda::SimulatedFaults>();
  BackendChoice gpu_ = Gpus({faults_})[0];
};

TEST_F(BenchTest, EveryStageIsTimedOnEveryDevice) {
  constexpr double kCopySpeed = 1e9;
  const BenchScene scene = BenchScene::Make(kSize, 5);
  std::vector<std::string> names;
  for (const BackendChoice* device : {&cpu_, &gpu_}) {
    const auto rows = TimeStages(*device->backend, scene, kCopySpeed, 0, {});
    ASSERT_THAT(rows, IsOk());
    std::vector<std::string> here;
    for (const StageRow& row : *rows) {
      here.push_back(row.stage);
      EXPECT_GT(row.ms_per_frame, 0);
      EXPECT_NEAR(row.frames_per_s * row.ms_per_frame, 1e3, 1e-6);
      if (!row.of_floor) continue;
      const double seconds_of_copy = *row.mb_per_frame * 1e6 / kCopySpeed;
      EXPECT_NEAR(*row.of_floor, seconds_of_copy / (row.ms_per_frame / 1e3), 1e-9);
    }
    if (names.empty()) names = here;
    EXPECT_EQ(here, names);
  }
  EXPECT_THAT(names,
              testing::IsSupersetOf({"statistics", "flow", "edges", "closing 31x31", "lines"}));
}

TEST_F(BenchTest, TheBytesOfTheFlowAreThoseThatAreDocumented) {
  const BenchScene scene = BenchScene::Make({1920, 1080}, 2);
  EXPECT_NEAR(FlowBytesOnGpu(scene.size) / 1e9, 0.55, 0.02) << "docs/cuda.md";
}

TEST_F(BenchTest, ADeviceThatBreaksIsNotTimed) {
  faults_->launches_left = 20;
  EXPECT_THAT(CheckAnswers(*cpu_.backend, *gpu_.backend),
              FailsWith(Reason::kDeviceUnavailable, testing::_));
}

TEST_F(BenchTest, RightAnswersPass) {
  EXPECT_THAT(CheckAnswers(*cpu_.backend, *gpu_.backend), IsOk());
}

TEST_F(BenchTest, CopiesHaveASpeed) {
  for (const BackendChoice* device : {&cpu_, &gpu_}) {
    for (const std::int64_t bytes : {1, 100'000}) {
      const auto speed = device->backend->CopySpeed(bytes);
      ASSERT_THAT(speed, IsOk());
      EXPECT_GT(*speed, 0);
    }
  }
}

TEST_F(BenchTest, BatchesOfEveryLengthAreMeasuredAndTheBestIsKept) {
  const std::vector<BenchScene> scenes = {BenchScene::Make(kSize, 17)};
  Tuning tuning;
  const auto tables = TuneBatches(gpu_, scenes, 0, tuning, {});
  ASSERT_THAT(tables, IsOk());
  ASSERT_EQ(tables->size(), 2);
  for (const BatchTable& table : *tables) {
    std::vector<int> lengths;
    for (const BatchRow& row : table.rows) lengths.push_back(row.frames);
    EXPECT_THAT(lengths, testing::ElementsAre(1, 2, 4, 8, 16));
    EXPECT_EQ(tuning.BatchFor(gpu_.backend->description(), kSize, table.motion),
              BestOf(table.rows).frames);
  }
}

TEST(Batches, TheShortestThatIsAboutAsFastIsTheBest) {
  EXPECT_EQ(BestOf({{1, 100}, {2, 196}, {4, 200}, {8, 201}}).frames, 2);
  EXPECT_EQ(BestOf({{1, 100}, {2, 190}, {4, 200}, {8, 201}}).frames, 4);
  EXPECT_EQ(BestOf({{1, 300}, {2, 200}}).frames, 1);
}

TEST(Timing, IsOfAtLeastThreeRunsAfterOneThatDoesNotCount) {
  int runs = 0;
  const auto count = [&] {
    ++runs;
    return absl::OkStatus();
  };
  ASSERT_THAT(TimeRuns(count, 0, {}), IsOk());
  EXPECT_EQ(runs, 4);
  EXPECT_THAT(TimeRuns([] { return Error(Reason::kInternal, "broken"); }, 0, {}),
              FailsWith(Reason::kInternal, HasSubstr("broken")));
}

TEST_F(BenchTest, WholeScansAreTimedSeveralAtATime) {
  const TempFolder folder;
  const auto video = DrawBenchVideo({192, 144}, 12, folder.path(), pool_, {});
  ASSERT_THAT(video, IsOk());
  DevicePool devices(gpu_);
  const auto row = TimeScans(*video, devices, pool_, 2, "classic", folder.path() / "results", {});
  ASSERT_THAT(row, IsOk());
  EXPECT_EQ(row->device, "cuda:0");
  EXPECT_EQ(row->frames, 12);
  EXPECT_NEAR(row->frames_per_s * row->s_per_scan, 12, 1e-6);
}

}  // namespace
}  // namespace glint
