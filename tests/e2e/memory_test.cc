// SPDX-License-Identifier: Apache-2.0
// Memory grows with the size of the frames, never with their number, and not by too much.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "cli/program.h"
#include "decode/sandbox/processes.h"
#include "support/loop_video.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 60;
constexpr int kShortRuns = 5;

/// Of a frame in 64 views whose object is 0.6 of it: 46 for packed frames, 110 for greys and
/// residuals of the object, some for what is made of them. Frames as they were decoded take 300.
constexpr double kMostMibPerMegapixel = 200;

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

/// What a line of /proc/PID/status says behind its name; "" when the process or the line is gone.
std::string StatusOf(pid_t process, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
  }
  return "";
}

/// Watches the decoder that a child of this process starts, from its start to its end.
class DecoderWatch {
 public:
  /// Its peak memory, MiB; ends the watch.
  double PeakMib() {
    watch_.request_stop();
    watch_.join();
    return peak_kib_ / 1024;
  }

 private:
  void Watch(const std::stop_token& stop) {
    pid_t decoder = -1;
    while (!stop.stop_requested()) {
      // Until it has its own program, its memory is that of the worker.
      if (decoder < 0) decoder = Find();
      if (decoder > 0) {
        if (const std::string peak = StatusOf(decoder, "VmHWM"); !peak.empty()) {
          peak_kib_ = std::max(peak_kib_, std::stod(peak));
        }
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  static pid_t Find() {
    for (const pid_t program : Children()) {
      for (const pid_t child : Children(program)) {
        if (StatusOf(child, "Name") == "glint-decode") return child;
      }
    }
    return -1;
  }

  double peak_kib_ = 0;
  std::jthread watch_{[this](const std::stop_token& stop) { Watch(stop); }};
};

/// Peak memory of a scan, worker and decoder together, in MiB. Memory that they share counts twice.
double PeakOfScan(const fs::path& clip, std::int64_t frames, const std::string& profile) {
  const TempFolder results;
  const fs::path out = results.path() / "result";
  DecoderWatch decoder;
  const Ended ended = RunProgram({"scan", clip.string(), "--out", out.string(), "--profile",
                                  profile, "--threads", "2", "--device", "cpu"},
                                 {.folder = clip.parent_path()});
  const double of_decoder = decoder.PeakMib();
  EXPECT_GT(of_decoder, 10) << "FFmpeg's libraries alone take more";
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  std::ifstream report(out / "report.json");
  std::ifstream timing(out / "timing.json");
  const auto said = nlohmann::json::parse(report);
  EXPECT_EQ(said["frames"].size(), frames);
  if (profile == "photometric") {
    EXPECT_EQ(said["outcome"], "scanned") << "an unjudged scan takes less";
  }
  return nlohmann::json::parse(timing)["peak_rss_bytes"].get<double>() / (1 << 20) + of_decoder;
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
  for (int run = 0; run < kShortRuns; ++run)
    few = std::max(few, PeakOfScan(once, kFrames, "classic"));
  const double many = PeakOfScan(often, std::int64_t{kFrames} * rounds, "classic");
  RecordProperty("short_mib", std::to_string(few));
  RecordProperty("long_mib", std::to_string(many));
  EXPECT_LT(many, 1.1 * few) << kFrames << " frames take " << few << " MiB";
}

/// Peak memory of a scan of a drawn page, of as many views as there can be.
double PeakOfDrawnScan(Size size) {
  const TempFolder folder;
  const Ended drawn = RunProgram({"synth", "--out", folder.path().string(), "--name", "page",
                                  "--seed", "5", "--size", ToString(size), "--frames", "64"},
                                 {.folder = folder.path()});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  return PeakOfScan(folder.path() / "page.mp4", 64, "photometric");
}

TEST(PhotometricMemory, OfAMegapixelIsBounded) {
  const Size small{640, 360}, large{1280, 720};
  const double more_mib = PeakOfDrawnScan(large) - PeakOfDrawnScan(small);
  const double mib_per_megapixel =
      more_mib * 1e6 / static_cast<double>(large.area() - small.area());
  RecordProperty("mib_per_megapixel", std::to_string(mib_per_megapixel));
  EXPECT_LT(mib_per_megapixel, kMostMibPerMegapixel);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Memory,
                         testing::Values(Case{{480, 272}, 100}, Case{{640, 368}, 50},
                                         Case{{1280, 720}, 20}),
                         [](const auto& size) { return ToString(size.param.size); });

}  // namespace
}  // namespace glint
