// SPDX-License-Identifier: Apache-2.0
// The whole program twice, and with another number of threads: the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "cli/program.h"
#include "support/sanitized.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace glint {
namespace {

namespace fs = std::filesystem;
using testing::Contains;

std::string ContentOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A real handheld scan where there is one, else a small drawn one; a sanitizer would take up to an
/// hour for the real one.
fs::path Clip(const fs::path& folder) {
  const auto data = SharedData();
  if (data && !kSanitized) return *data / "scans/s1_page_720p.mp4";
  const Ended drawn =
      RunProgram({"synth", "--kind", "card", "--size", FewerIfSanitized("400x300", "240x180"),
                  "--frames", FewerIfSanitized("40", "16"), "--name", "card", "--out", "."},
                 {.folder = folder});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  return folder / "card.mp4";
}

class Determinism : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Profiles, Determinism, testing::Values("classic", "photometric"),
                         [](const auto& profile) { return profile.param; });

TEST_P(Determinism, EveryFileButTheTimingIsTheSameForAnyThreadsAndEveryTime) {
  const TempFolder folder;
  const std::string clip = Clip(folder.path()).string();
  const std::pair<const char*, const char*> runs[] = {{"one", "1"}, {"two", "2"}, {"again", "2"}};
  for (const auto& [out, threads] : runs) {
    const Ended ended = RunProgram({"scan", clip, "--out", out, "--threads", threads, "--device",
                                    "cpu", "--profile", GetParam()},
                                   {.folder = folder.path()});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
  }
  const auto names = FilesBelow(folder.path() / "one");
  EXPECT_THAT(names, Contains("mask.png"));
  EXPECT_THAT(names, Contains("report.html"));
  for (const char* other : {"two", "again"}) {
    EXPECT_EQ(FilesBelow(folder.path() / other), names);
    for (const std::string& name : names) {
      if (name == "timing.json" || fs::is_directory(folder.path() / "one" / name)) continue;
      EXPECT_TRUE(ContentOf(folder.path() / "one" / name) ==
                  ContentOf(folder.path() / other / name))
          << name << " differs in the run '" << other << "'";
    }
  }
}

}  // namespace
}  // namespace glint
