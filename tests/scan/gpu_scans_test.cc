// SPDX-License-Identifier: Apache-2.0
// Whole scans on a GPU that is there (and on a simulated one): every file is the CPU's, and device
// memory does not grow from scan to scan. GLINT_GPU_VIDEOS names a folder of videos to scan beside
// the one that is drawn here, GLINT_GPU_SCANS says how many scans are made while memory is watched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/thread_pool.h"
#include "glint/scan.h"
#include "scan/card_video.h"
#include "stages/cuda/backend.h"
#include "stages/cuda/entry.h"
#include "stages/cuda/simulated_gpu.h"
#include "support/memory_store.h"
#include "support/needs_gpu.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

/// What a folder of a scan holds, but for times and the names of devices.
std::map<std::string, std::string> ContentOf(const MemoryStore& store) {
  std::map<std::string, std::string> content;
  const auto sets = store.sets();
  for (const auto& [name, bytes] : sets.at("scan")) {
    if (name == "report.json") {
      nlohmann::json report = nlohmann::json::parse(bytes);
      report.erase("device");
      content.emplace(name, report.dump(1));
    } else if (name != "timing.json" && name != "report.html") {
      content.emplace(name, bytes);
    }
  }
  return content;
}

/// The parameter is whether the GPU is simulated.
class GpuScans : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto gpu = GetParam() ? cuda::MakeSimulatedGpu(faults_) : cuda::Open(0);
    if (GetParam()) {
      ASSERT_THAT(gpu, IsOk());
    }
    GLINT_NEEDS_GPU(gpu.status());
    gpu_ = *std::move(gpu);
    CardVideo::Write((folder_.path() / "card.mp4").string());
    auto cpu = SelectBackend("cpu", BackendTable(), {.pool = &pool_});
    ASSERT_THAT(cpu, IsOk());
    cpu_ = std::make_unique<DevicePool>(*std::move(cpu));
    auto cuda = cuda::MakeBackend([this] { return gpu_; });
    ASSERT_THAT(cuda, IsOk());
    cuda_ = std::make_unique<DevicePool>(BackendChoice{
        .name = "cuda:0", .why = "forced", .probes = {}, .backend = *std::move(cuda)});
  }

  absl::StatusOr<ScanResult> Scan(DevicePool& devices, MemoryStore& store, const fs::path& video,
                                  const std::string& profile) {
    const ScanDeps deps{*fetcher_, store, devices, pool_};
    const ScanRequest request{
        .scan_id = "scan", .input = video.string(), .prefix = "scan", .profile = profile};
    return RunScan(request, deps, CancelToken());
  }

  std::vector<fs::path> Videos() const {
    std::vector<fs::path> videos = {folder_.path() / "card.mp4"};
    const char* folder = std::getenv("GLINT_GPU_VIDEOS");
    if (GetParam() || folder == nullptr) return videos;
    for (const auto& entry : fs::directory_iterator(folder)) {
      std::string ending = entry.path().extension().string();
      std::ranges::transform(ending, ending.begin(),
                             [](unsigned char letter) { return std::tolower(letter); });
      if (ending == ".mp4" || ending == ".mov") videos.push_back(entry.path());
    }
    EXPECT_GT(videos.size(), 1) << "no .mp4 or .mov in " << folder;
    std::ranges::sort(videos);
    return videos;
  }

  TempFolder folder_;
  ThreadPool pool_{2};
  std::unique_ptr<Fetcher> fetcher_ = MakeFileFetcher();
  std::shared_ptr<cuda::SimulatedFaults> faults_ = std::make_shared<cuda::SimulatedFaults>();
  std::shared_ptr<cuda::Gpu> gpu_;
  std::unique_ptr<DevicePool> cpu_;
  std::unique_ptr<DevicePool> cuda_;
};

INSTANTIATE_TEST_SUITE_P(Cuda, GpuScans, testing::Values(true, false),
                         [](const auto& test) { return test.param ? "simulated" : "gpu"; });

TEST_P(GpuScans, GiveTheFilesOfTheCpu) {
  for (const fs::path& video : Videos()) {
    for (const char* profile : {"classic", "photometric"}) {
      SCOPED_TRACE(video.filename().string() + ", " + profile);
      MemoryStore on_cpu, on_gpu;
      ASSERT_THAT(Scan(*cpu_, on_cpu, video, profile), IsOk());
      const auto found = Scan(*cuda_, on_gpu, video, profile);
      ASSERT_THAT(found, IsOk());
      EXPECT_EQ(found->report.device, "cuda:0") << found->report.device_why;
      const auto expected = ContentOf(on_cpu), content = ContentOf(on_gpu);
      // Of the videos that others named, one without an object gets none, on either device.
      const bool judged = found->report.outcome == ScanOutcome::kScanned;
      EXPECT_TRUE(judged || video.parent_path() != folder_.path());
      EXPECT_EQ(content.contains("mask.png"), judged);
      for (const auto& [name, bytes] : expected) {
        const auto same = content.find(name);
        ASSERT_NE(same, content.end()) << name;
        EXPECT_TRUE(same->second == bytes) << name << " differs";
      }
      EXPECT_EQ(content.size(), expected.size());
    }
  }
}

TEST_P(GpuScans, DoNotMakeDeviceMemoryGrow) {
  constexpr int kFirst = 4;  // until the memory pool has what it needs
  const char* asked = std::getenv("GLINT_GPU_SCANS");
  const int scans = asked != nullptr && !GetParam() ? std::atoi(asked) : 8;
  ASSERT_GT(scans, kFirst) << "GLINT_GPU_SCANS";
  // Others may take some of a GPU's memory during a long run, in which a leak is more than that.
  const std::size_t others = scans < 50 ? 0 : std::size_t{32} << 20;
  std::size_t free_then = 0;
  for (int scan = 1; scan <= scans; ++scan) {
    MemoryStore store;
    ASSERT_THAT(
        Scan(*cuda_, store, folder_.path() / "card.mp4", scan % 2 == 0 ? "photometric" : "classic"),
        IsOk());
    const auto free_now = gpu_->FreeMemory();
    ASSERT_THAT(free_now, IsOk());
    if (scan == kFirst) free_then = *free_now;
    if (scan <= kFirst) continue;
    ASSERT_GE(*free_now + others, free_then) << "after " << scan << " scans";
  }
}

}  // namespace
}  // namespace glint
