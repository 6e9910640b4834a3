// SPDX-License-Identifier: Apache-2.0
// `glint bench` on a machine that may have no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/clips.h"
#include "cli/program.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

TEST(BenchProgram, MeasuresTheCpuAndSaysWhyNoGpu) {
  const TempFolder folder;
  WriteCardVideo(folder.path() / "card.mp4", {.size = {160, 120}, .frames = 12});
  const Ended ended =
      RunProgram({"bench", "--size", "64x48", "--seconds", "0", "--video", "card.mp4",
                  "--at-a-time", "1", "--cpu-price", "0.36", "--tune", "--tuning-file",
                  "tuning.json", "--out", "summary.json", "--json"},
                 {.folder = folder.path()});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json found = json::parse(ended.out);
  std::ifstream summary(folder.path() / "summary.json");
  EXPECT_EQ(found, json::parse(summary));
  EXPECT_EQ(found["event"], "bench");
  EXPECT_EQ(found["devices"].back()["name"], "cpu");
  EXPECT_GT(found["devices"].back()["copy_bytes_per_s"], 0);
  int stages = 0;
  for (const json& row : found["stages"]) stages += row["device"] == "cpu" ? 1 : 0;
  EXPECT_GE(stages, 10);
  const json& scan = found["scans"].back();
  EXPECT_EQ(scan["device"], "cpu");
  EXPECT_EQ(scan["frames"], 12);
  EXPECT_NEAR(scan["cost"].get<double>(), scan["s_per_scan"].get<double>() * 1e-4, 1e-12);
  if (found["devices"].size() > 1) GTEST_SKIP() << "a GPU works here";
  EXPECT_EQ(found["not_measured"][0]["name"], "cuda");
  EXPECT_NE(found["not_measured"][0]["message"], "");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "tuning.json"));
}

TEST(BenchProgram, PrintsATableAndRefusesNonsense) {
  const TempFolder folder;
  const Ended ended = RunProgram({"bench", "--size", "32x32", "--seconds", "0", "--no-scans"},
                                 {.folder = folder.path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out,
              AllOf(HasSubstr("32x32 on cpu"), HasSubstr("of floor"), HasSubstr("statistics")));
  const Ended refused = RunProgram({"bench", "--size", "1280"}, {.folder = folder.path()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--size is '1280'"));
}

}  // namespace
}  // namespace glint
