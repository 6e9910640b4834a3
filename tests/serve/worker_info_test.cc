// SPDX-License-Identifier: Apache-2.0
#include "serve/worker_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyse/stage_names.h"
#include "base/thread_pool.h"
#include "decode/build_id.h"
#include "glint/error.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::Contains;

TEST(WorkerInfo, SaysOfEachDeviceWhatCameOfItsProbe) {
  ThreadPool pool(1);
  const std::vector<BackendChoice::Probe> probes = {
      {"cuda:0", absl::OkStatus()},
      {"cuda:1", Error(Reason::kDeviceUnavailable, "GPU 1 is busy")},
      {"cuda:2", absl::OkStatus()}};
  std::vector<BackendChoice> devices;
  for (const char* name : {"cuda:0", "cuda:2"}) {
    auto choice = SelectBackend("cpu", BackendTable(), {.pool = &pool});
    ASSERT_THAT(choice, IsOk());
    choice->name = name;
    choice->why = "first of auto that works; scans are spread over 2 devices";
    choice->probes = probes;
    devices.push_back(*std::move(choice));
  }
  const v1::WorkerInfo info = DescribeWorker(
      {}, devices, 2,
      {.program = "/opt/glint-decode", .missing = "Landlock", .ffmpeg_version = "5.1"});
  EXPECT_EQ(info.device(), "cuda:0, cuda:2");
  EXPECT_EQ(info.device_why(), devices[0].why);
  EXPECT_EQ(info.lanes(), 2);
  EXPECT_EQ(info.decoder().path(), "/opt/glint-decode");
  EXPECT_EQ(info.decoder().build(), DecodeBuildId());
  EXPECT_EQ(info.decoder().ffmpeg_version(), "5.1");
  EXPECT_TRUE(info.decoder().confined());
  EXPECT_EQ(info.decoder().confinement_detail(), "Landlock");
  ASSERT_EQ(info.probes_size(), 3);
  EXPECT_TRUE(info.probes(0).works());
  EXPECT_EQ(info.probes(0).detail(), devices[0].backend->description());
  EXPECT_FALSE(info.probes(1).works());
  EXPECT_EQ(info.probes(1).detail(), "GPU 1 is busy");
  EXPECT_EQ(info.probes(2).detail(), devices[1].backend->description());
  std::vector<std::string> names;
  for (const v1::StageBackend& stage : info.stages()) {
    EXPECT_EQ(stage.device(), "cuda:0, cuda:2") << stage.stage();
    names.push_back(stage.stage());
  }
  for (const std::string_view profile : {kProfileClassic, kProfilePhotometric}) {
    for (const std::string_view stage : StagesRun(profile, ScanOutcome::kScanned)) {
      EXPECT_THAT(names, Contains(stage)) << "as a report by " << profile << " calls it";
    }
  }
}

}  // namespace
}  // namespace glint
