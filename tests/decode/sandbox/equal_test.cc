// SPDX-License-Identifier: Apache-2.0
// What comes out of the sandbox is what comes out of this process, byte for byte.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "decode/in_process.h"
#include "decode/sandbox/processes.h"
#include "decode/sandbox/sandboxed_video.h"
#include "support/plane_compare.h"
#include "support/shared_data.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

namespace fs = std::filesystem;

void ExpectSame(const VideoInfo& a, const VideoInfo& b) {
  EXPECT_EQ(a.container, b.container);
  EXPECT_EQ(a.codec, b.codec);
  EXPECT_EQ(a.pixel_format, b.pixel_format);
  EXPECT_EQ(a.coded_size, b.coded_size);
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.rotation, b.rotation);
  EXPECT_EQ(a.frames, b.frames);
  EXPECT_EQ(a.duration_s, b.duration_s);
  EXPECT_EQ(a.frames_per_s, b.frames_per_s);
  EXPECT_EQ(a.bit_depth, b.bit_depth);
  EXPECT_EQ(a.full_range, b.full_range);
  EXPECT_EQ(a.decoder, b.decoder);
  EXPECT_EQ(a.decoder_why, b.decoder_why);
}

void ExpectSame(const DecodeSummary& a, const DecodeSummary& b) {
  EXPECT_EQ(a.frames, b.frames);
  EXPECT_EQ(a.damaged, b.damaged);
  EXPECT_EQ(a.truncated, b.truncated);
  EXPECT_EQ(a.warnings, b.warnings);
}

void ExpectSame(const absl::Status& a, const absl::Status& b) {
  EXPECT_EQ(ReasonOf(a), ReasonOf(b));
  EXPECT_EQ(Message(a), Message(b));
}

struct Compared {
  std::int64_t frames = 0;
  absl::Status status;
};

/// Opens and decodes a file both ways, side by side.
/// @param hold  frames that stay in use while decoding goes on
Compared CompareBoth(const fs::path& file, const VideoOptions& options = {},
                     const SandboxOptions& sandbox = {}, std::size_t hold = 20) {
  Compared compared;
  auto here = OpenVideoInProcess(file, options);
  auto there = OpenVideoInSandbox(file, options, {}, sandbox);
  ExpectSame(here.status(), there.status());
  compared.status = here.status();
  if (!here.ok() || !there.ok()) return compared;
  ExpectSame((*here)->info(), (*there)->info());
  ExpectSame((*here)->summary(), (*there)->summary());
  std::vector<std::pair<VideoFrame, VideoFrame>> held;
  const auto check_colours = [](const VideoFrame& a, const VideoFrame& b) {
    ASSERT_TRUE(SameBytes(b.picture->ToRgb(), a.picture->ToRgb())) << "colours of " << a.index;
    ASSERT_TRUE(SameBytes(b.picture->ToLuma(), a.luma)) << "luma of " << a.index;
  };
  while (true) {
    auto a = (*here)->Next();
    auto b = (*there)->Next();
    ExpectSame(a.status(), b.status());
    compared.status = a.status();
    if (!a.ok() || !b.ok()) break;
    EXPECT_EQ(a->has_value(), b->has_value());
    ExpectSame((*here)->summary(), (*there)->summary());
    if (!a->has_value() || !b->has_value()) break;
    EXPECT_EQ((*a)->index, (*b)->index);
    EXPECT_EQ((*a)->timestamp_us, (*b)->timestamp_us);
    EXPECT_TRUE(SameBytes((*b)->luma, (*a)->luma)) << "frame " << compared.frames;
    if (testing::Test::HasFailure()) break;
    if (compared.frames % 50 == 0) check_colours(**a, **b);
    if (held.size() < hold) held.emplace_back(**a, **b);
    ++compared.frames;
  }
  here->reset();
  there->reset();  // frames outlive their video
  for (const auto& [a, b] : held) check_colours(a, b);
  return compared;
}

class Sandbox : public testing::Test {
 protected:
  fs::path Path(std::string_view name) const { return folder_.path() / name; }
  const TempFolder folder_;
};

TEST_F(Sandbox, GivesTheSameFramesOfEveryKindOfVideo) {
  struct Case {
    const char* name;
    TestVideoOptions options;
  };
  const std::vector<Case> cases = {
      {"h264.mp4", {.frames = 60, .b_frames = 3}},
      {"odd.mp4", {.size = {67, 49}, .pixel_format = "yuv444p"}},
      {"cropped.mkv", {.size = {70, 50}}},
      {"full.mp4", {.full_range = true}},
      {"bt709.mp4", {.size = {640, 480}, .color_space = "bt709"}},
      {"turned.mov", {.display_matrix = RotationMatrix(90)}},
      {"full_turned.mov", {.full_range = true, .display_matrix = RotationMatrix(180)}},
      {"odd_angle.mov", {.display_matrix = RotationMatrix(37)}},
      {"ten_bits.mp4", {.codec = "libx265", .pixel_format = "yuv420p10le"}},
      {"422.mkv", {.pixel_format = "yuv422p"}},
      {"gray.mkv", {.pixel_format = "gray"}},
      {"vp8.webm", {.codec = "libvpx"}},
      {"vp9.webm", {.codec = "libvpx-vp9"}},
      {"av1.mp4", {.codec = "libaom-av1"}},
      {"mpeg4.avi", {.codec = "mpeg4", .lossless = false}},
      {"mjpeg.mov", {.codec = "mjpeg", .pixel_format = "yuvj420p"}},
      {"sizes.mov",
       {.codec = "mjpeg",
        .pixel_format = "yuvj420p",
        .other_size_from = 5,
        .other_size = {32, 32}}},
      {"uneven.mkv", {.frames = 5, .timestamps = {0, 1, 5, 6, 40}}},
  };
  for (const auto& [name, options] : cases) {
    SCOPED_TRACE(name);
    if (!HasEncoder(options.codec)) continue;
    try {
      WriteTestVideo(Path(name), options, FillPattern);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
      continue;
    }
    for (const int threads : {1, 3}) {
      const Compared compared = CompareBoth(Path(name), {.threads = threads});
      EXPECT_THAT(compared.status, IsOk());
      EXPECT_GT(compared.frames, 3);
    }
  }
}

TEST_F(Sandbox, TurnsPicturesAsAsked) {
  WriteTestVideo(Path("a.mov"), {.display_matrix = RotationMatrix(90)}, FillPattern);
  for (const int degrees : {0, 90, 180, 270}) {
    EXPECT_THAT(CompareBoth(Path("a.mov"), {.threads = 1, .rotation = degrees}).status, IsOk());
  }
}

TEST_F(Sandbox, GivesTheSameFramesWhateverWasAskedToDecode) {
  WriteTestVideo(Path("a.mp4"), {.frames = 30, .b_frames = 2}, FillPattern);
  for (const DecodeMode decode : {DecodeMode::kAuto, DecodeMode::kCpu, DecodeMode::kNvdec}) {
    const Compared compared = CompareBoth(Path("a.mp4"), {.decode = decode, .threads = 2});
    EXPECT_THAT(compared.status, IsOk());
    EXPECT_EQ(compared.frames, 30);
  }
}

TEST_F(Sandbox, GivesTheSameFramesWhenSharedMemoryRunsShort) {
  WriteTestVideo(Path("a.mp4"), {.size = {320, 240}, .frames = 60, .b_frames = 3}, FillPattern);
  // Slots are 128 KiB here: from room for three of them to room for all.
  for (const std::int64_t kib : {400, 700, 1500, 3000, 10'000}) {
    SCOPED_TRACE(kib);
    const SandboxOptions sandbox{.frame_bytes = kib << 10};
    const Compared compared = CompareBoth(Path("a.mp4"), {.threads = 2}, sandbox, 60);
    EXPECT_EQ(compared.frames, 60);
  }
  const auto none = OpenVideoInSandbox(Path("a.mp4"), {}, {}, {.frame_bytes = 1000});
  ASSERT_THAT(none, IsOk());  // opening needs no frame in the worker yet
  EXPECT_THAT((*none)->Next(), FailsWith(Reason::kOutOfMemory, testing::HasSubstr("memory")));
}

TEST_F(Sandbox, FailsAsThisProcessDoes) {
  WriteTestVideo(Path("a.mp4"), {.frames = 30}, FillPattern);
  std::ostringstream content;
  content << std::ifstream(Path("a.mp4"), std::ios::binary).rdbuf();
  const std::string bytes = content.str();
  folder_.Write("no_moov.mp4", bytes.substr(0, bytes.find("moov") - 4));
  folder_.Write("cut.mp4", bytes.substr(0, bytes.size() / 2));
  folder_.Write("text.mp4", "Dear reader,\nthis is no video.\n");
  folder_.Write("list.mp4", "#EXTM3U\nfile:///etc/passwd\n");
  folder_.Write("empty.mp4", "");
  WriteTestVideo(Path("sound.mkv"), {.audio_only = true}, {});
  WriteTestVideo(Path("ffv1.mkv"), {.codec = "ffv1"}, FillPattern);
  WriteTestVideo(Path("rgb.mp4"), {.codec = "libx264rgb", .pixel_format = "rgb24"}, FillPattern);
  WriteTestVideo(Path("small.mp4"), {.size = {8, 8}}, FillPattern);
  std::string noise = bytes;
  std::fill(noise.begin() + static_cast<std::ptrdiff_t>(noise.find("mdat")) + 4,
            noise.begin() + static_cast<std::ptrdiff_t>(noise.find("moov")) - 4, '\xA5');
  folder_.Write("noise.mp4", noise);
  for (const char* name :
       {"none.mp4", "no_moov.mp4", "cut.mp4", "text.mp4", "list.mp4", "empty.mp4", "sound.mkv",
        "ffv1.mkv", "rgb.mp4", "small.mp4", "noise.mp4", "/dev/null", "."}) {
    SCOPED_TRACE(name);
    EXPECT_FALSE(CompareBoth(Path(name)).status.ok());
  }
  for (const VideoLimits& limits :
       {VideoLimits{.max_frames = 29}, VideoLimits{.max_duration_s = 0.5},
        VideoLimits{.max_streams = 0}, VideoLimits{.max_bytes = 100},
        VideoLimits{.max_pixels = 1000}}) {
    EXPECT_FALSE(CompareBoth(Path("a.mp4"), {.limits = limits}).status.ok());
  }
}

TEST_F(Sandbox, GivesTheSameOfDamagedVideos) {
  WriteTestVideo(Path("a.mp4"), {.frames = 60, .b_frames = 2, .muxer_flags = "faststart"},
                 FillPattern);
  std::ostringstream content;
  content << std::ifstream(Path("a.mp4"), std::ios::binary).rdbuf();
  for (int round = 0; round < 12; ++round) {
    std::string bytes = content.str();
    const std::size_t data = bytes.find("mdat") + 8;
    for (int hit = 0; hit <= round; ++hit) {
      bytes[data + (bytes.size() - data) / 13 * static_cast<std::size_t>(hit + 1)] ^= 0x55;
    }
    if (round % 4 == 3) bytes.resize(bytes.size() * 2 / 3);
    SCOPED_TRACE(round);
    CompareBoth(folder_.Write("damaged.mp4", bytes), {.threads = 1 + round % 3});
  }
}

TEST(SharedClipsInTheSandbox, GiveTheSame) {
  GLINT_NEEDS_SHARED_DATA();
  int videos = 0;
  for (const auto& entry : fs::directory_iterator(*SharedData() / "clips")) {
    if (entry.path().extension() != ".mp4") continue;
    SCOPED_TRACE(entry.path().filename());
    ++videos;
    CompareBoth(entry.path(), {.threads = 2});
  }
  EXPECT_GE(videos, 8);
}

}  // namespace
}  // namespace glint
