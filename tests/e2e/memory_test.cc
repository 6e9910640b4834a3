// SPDX-License-Identifier: Apache-2.0
// Memory grows with the size of the frames, never with their number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.h"
#include "support/loop_video.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 60;
constexpr int kShortRuns = 5;

/// A card with fine print on a desk. The camera shakes a little, and focus comes and goes.
void FillCard(int index, TestFrame& frame) {
  const double focus = 0.75 + 0.25 * std::sin(index * 1.9);
  const double shake = 0.4 * std::sin(index * 0.8);
  for (int component = 0; component < frame.components(); ++component) {
    const auto [width, height] = frame.size(component);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const bool card =
            x > width / 5 && x < width * 4 / 5 && y > height / 6 && y < height * 5 / 6;
        const double print = std::sin((x + shake) * 0.9) * std::sin((y - shake) * 0.7 + x / 31.0);
        const int luma = card ? static_cast<int>(150 + 70 * focus * print) : 40;
        frame.Set(component, x, y, component == 0 ? luma : 128);
      }
    }
  }
}

/// Peak memory of a scan in one process, in MiB, as the program itself reports it.
double PeakOfScan(const fs::path& clip, std::int64_t frames) {
  const TempFolder results;
  const fs::path out = results.path() / "result";
  const Ended ended =
      RunProgram({"scan", clip.string(), "--out", out.string(), "--profile", "classic", "--threads",
                  "2", "--device", "cpu", "--decode-sandbox", "off"},
                 {.folder = clip.parent_path()});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::ifstream report(out / "report.json");
  std::ifstream timing(out / "timing.json");
  EXPECT_EQ(nlohmann::json::parse(report)["frames"].size(), frames);
  return nlohmann::json::parse(timing)["peak_rss_bytes"].get<double>() / (1 << 20);
}

struct Case {
  Size size;
  int rounds;  // of kFrames
};

class Memory : public testing::TestWithParam<Case> {};

TEST_P(Memory, OfALongClipIsThatOfAShortOne) {
  const auto [size, rounds] = GetParam();
  const TempFolder folder;
  const fs::path once = folder.path() / "short.mp4";
  const fs::path often = folder.path() / "long.mp4";
  WriteTestVideo(once, {.size = size, .frames = kFrames, .lossless = false, .b_frames = 2},
                 FillCard);
  LoopVideo(once, often, rounds);
  // How far decoding, measuring and encoding overlap is up to the scheduler: a short scan meets
  // few of the states that a long one meets. The highest of several is what such a clip can take.
  double few = 0;
  for (int run = 0; run < kShortRuns; ++run) few = std::max(few, PeakOfScan(once, kFrames));
  const double many = PeakOfScan(often, std::int64_t{kFrames} * rounds);
  RecordProperty("short_mib", std::to_string(few));
  RecordProperty("long_mib", std::to_string(many));
  EXPECT_LT(many, 1.1 * few) << kFrames << " frames take " << few << " MiB";
}

INSTANTIATE_TEST_SUITE_P(Sizes, Memory,
                         testing::Values(Case{{480, 272}, 100}, Case{{640, 368}, 50},
                                         Case{{1280, 720}, 20}),
                         [](const auto& size) { return ToString(size.param.size); });

}  // namespace
}  // namespace glint
