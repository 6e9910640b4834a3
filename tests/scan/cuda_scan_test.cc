// SPDX-License-Identifier: Apache-2.0
// Whole scans by the CUDA backend, over a simulated GPU: the same files as the CPU's, also when the
// GPU fails on the way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "base/thread_pool.h"
#include "glint/scan.h"
#include "scan/card_video.h"
#include "scan/simulated_devices.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/simulated_gpu.h"
#include "support/memory_store.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Of the GPU that the table below makes: its functions have no other way to learn of it.
std::shared_ptr<cuda::SimulatedFaults> faults;

absl::Status Works(const BackendOptions&) { return absl::OkStatus(); }
absl::StatusOr<std::unique_ptr<Backend>> MakeSimulated(const BackendOptions&) {
  return cuda::MakeBackend([with = faults] { return cuda::MakeSimulatedGpu(with); });
}

class CudaScan : public testing::Test {
 protected:
  void SetUp() override {
    faults = std::make_shared<cuda::SimulatedFaults>();
    clip_ = (folder_.path() / "clip.mp4").string();
    CardVideo::Write(clip_);
  }

  absl::StatusOr<ScanResult> Scan(std::string_view device, MemoryStore& store,
                                  const std::string& profile = "classic") {
    const std::array table = {BackendEntry{"cuda", &Works, &MakeSimulated}, BackendTable().back()};
    auto choice = SelectBackend(device, table, {.pool = &pool_});
    if (!choice.ok()) return choice.status();
    DevicePool devices(*std::move(choice));
    return Scan(devices, store, profile);
  }

  absl::StatusOr<ScanResult> Scan(DevicePool& devices, MemoryStore& store,
                                  const std::string& profile = "classic") {
    const ScanDeps deps{*fetcher_, store, devices, pool_};
    const ScanRequest request{.scan_id = "scan",
                              .input = clip_,
                              .prefix = "scan",
                              .item_type = "card",
                              .profile = profile,
                              .motion = motion_};
    return RunScan(request, deps, CancelToken());
  }

  /// The pictures of the set, which hold no name of a device.
  static std::map<std::string, std::string> Pictures(const MemoryStore& store) {
    std::map<std::string, std::string> pictures;
    const auto sets = store.sets();
    for (const auto& [name, content] : sets.at("scan")) {
      if (name.ends_with(".png")) pictures.emplace(name, content);
    }
    return pictures;
  }

  TempFolder folder_;
  std::string clip_;
  MotionMode motion_ = MotionMode::kNeeded;
  ThreadPool pool_{2};
  std::unique_ptr<Fetcher> fetcher_ = MakeFileFetcher();
};

TEST_F(CudaScan, GivesTheFilesOfTheCpu) {
  MemoryStore on_cpu, on_gpu;
  const auto expected = Scan("cpu", on_cpu);
  ASSERT_THAT(expected, IsOk());
  const auto found = Scan("cuda", on_gpu);
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->report.device, "cuda");
  EXPECT_GT(faults->launches, 50) << "it was the GPU that computed";
  ASSERT_EQ(found->report.golden.size(), expected->report.golden.size());
  EXPECT_EQ(Pictures(on_gpu), Pictures(on_cpu));
}

TEST_F(CudaScan, TakesTheGpuWithTheFewestScansAndNoOther) {
  const auto other = std::make_shared<cuda::SimulatedFaults>();
  DevicePool devices(Gpus({faults, other}));
  MemoryStore on_cpu, on_gpu;
  ASSERT_THAT(Scan("cpu", on_cpu), IsOk());
  const auto busy = devices.Take({640, 480});
  ASSERT_EQ(busy->name, "cuda:0");
  const auto result = Scan(devices, on_gpu);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->report.device, "cuda:1");
  EXPECT_EQ(faults->launches, 0);
  EXPECT_GT(other->launches, 50);
  EXPECT_EQ(Pictures(on_gpu), Pictures(on_cpu));
}

TEST_F(CudaScan, MeasuresTheMotionOfAllFramesAsTheCpuDoes) {
  motion_ = MotionMode::kAll;
  MemoryStore on_cpu, on_gpu;
  const auto expected = Scan("cpu", on_cpu);
  ASSERT_THAT(expected, IsOk());
  for (const auto order : {cuda::SimulatedOrder::kNeededOnly, cuda::SimulatedOrder::kOthersFirst}) {
    faults->order = order;
    const auto found = Scan("cuda", on_gpu);
    ASSERT_THAT(found, IsOk());
    ASSERT_EQ(found->report.frames.size(), expected->report.frames.size());
    for (std::size_t i = 0; i < expected->report.frames.size(); ++i) {
      EXPECT_EQ(found->report.frames[i].motion256, expected->report.frames[i].motion256) << i;
      EXPECT_EQ(found->report.frames[i].sharpness16, expected->report.frames[i].sharpness16) << i;
    }
    EXPECT_EQ(Pictures(on_gpu), Pictures(on_cpu));
  }
}

TEST_F(CudaScan, IsMadeAgainOnTheCpuWhenTheGpuBreaks) {
  MemoryStore on_cpu, on_gpu;
  ASSERT_THAT(Scan("cpu", on_cpu), IsOk());
  faults->launches_left = 30;
  const auto result = Scan("cuda", on_gpu);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->report.device, "cpu");
  EXPECT_THAT(result->report.device_why, AllOf(HasSubstr("made again"), HasSubstr("cuda failed"),
                                               HasSubstr("illegal address")));
  EXPECT_EQ(Pictures(on_gpu), Pictures(on_cpu));
}

TEST_F(CudaScan, IsMadeAgainOnTheCpuWhenTheGpuHasNoMemoryLeft) {
  faults->memory = 100'000;
  MemoryStore store;
  const auto result = Scan("cuda", store);
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->report.device, "cpu");
  EXPECT_THAT(result->report.device_why, HasSubstr("GPU memory"));
}

}  // namespace
}  // namespace glint
