// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "decode/decode_all.h"
#include "glint/video.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

using testing::_;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Video : public testing::Test {
 protected:
  std::filesystem::path Path(std::string_view name) const { return folder_.path() / name; }
  const TempFolder folder_;
};

// Fills all frames with one gray that tells them apart.
void FillWithNumber(int index, TestFrame& frame) {
  for (int c = 0; c < frame.components(); ++c) {
    for (int y = 0; y < frame.size(c).height; ++y) {
      for (int x = 0; x < frame.size(c).width; ++x) frame.Set(c, x, y, c == 0 ? 16 + index : 128);
    }
  }
}

int NumberOf(const VideoFrame& frame) {
  return (frame.luma.Row<std::uint8_t>(8)[8] * 219 + 127) / 255;
}

void ExpectSameVideo(const DecodedVideo& a, const DecodedVideo& b) {
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    ASSERT_TRUE(SameBytes(a.frames[i].luma, b.frames[i].luma)) << "frame " << i;
    EXPECT_EQ(a.frames[i].timestamp_us, b.frames[i].timestamp_us);
  }
  EXPECT_EQ(a.summary.damaged, b.summary.damaged);
  EXPECT_EQ(a.summary.warnings, b.summary.warnings);
}

TEST_F(Video, GivesEveryFrameOnceInDisplayOrder) {
  for (const char* name : {"a.mp4", "a.mov", "a.mkv"}) {
    SCOPED_TRACE(name);
    WriteTestVideo(Path(name), {.frames = 60, .b_frames = 3}, FillWithNumber);
    const auto video = DecodeAll(Path(name));
    ASSERT_THAT(video, IsOk());
    EXPECT_EQ(video->info.frames, 60);
    EXPECT_EQ(video->info.codec, "h264");
    EXPECT_EQ(video->info.pixel_format, "yuv420p");
    EXPECT_NEAR(video->info.duration_s, 2, 0.002);
    EXPECT_NEAR(video->info.frames_per_s, 30, 0.02);
    ASSERT_EQ(video->frames.size(), 60U);
    for (int i = 0; i < 60; ++i) {
      const VideoFrame& frame = video->frames[static_cast<std::size_t>(i)];
      EXPECT_EQ(frame.index, i);
      EXPECT_EQ(NumberOf(frame), i);
      EXPECT_NEAR(static_cast<double>(frame.timestamp_us), i * 1e6 / 30, 600);
    }
    EXPECT_EQ(video->summary.frames, 60);
    EXPECT_EQ(video->summary.damaged, 0);
    EXPECT_FALSE(video->summary.truncated);
    EXPECT_THAT(video->summary.warnings, IsEmpty());
  }
}

TEST_F(Video, OfEveryCodecAndContainerIsDecoded) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"libx264", "fragments.mp4", "h264"}, {"libx264", "a.avi", "h264"},
      {"libx265", "a.mp4", "hevc"},         {"libvpx", "a.webm", "vp8"},
      {"libvpx-vp9", "a.webm", "vp9"},      {"libaom-av1", "a.mkv", "av1"},
      {"mjpeg", "a.mov", "mjpeg"},          {"mpeg4", "a.avi", "mpeg4"},
  };
  for (const auto& [encoder, name, codec] : cases) {
    SCOPED_TRACE(std::string(encoder).append(" in ").append(name));
    if (!HasEncoder(encoder)) continue;
    TestVideoOptions options = {.frames = 20, .codec = encoder};
    if (name == "fragments.mp4") options.muxer_flags = "frag_keyframe+empty_moov";
    if (encoder == "mjpeg") options.full_range = true;
    WriteTestVideo(Path(name), options, FillWithNumber);
    const auto video = DecodeAll(Path(name));
    ASSERT_THAT(video, IsOk());
    EXPECT_EQ(video->info.codec, codec);
    EXPECT_EQ(video->info.frames, 20);
    EXPECT_EQ(video->info.full_range, encoder == "mjpeg");
    ASSERT_EQ(video->frames.size(), 20U);
    EXPECT_LT(video->frames[0].luma.Row<std::uint8_t>(8)[8],
              video->frames[19].luma.Row<std::uint8_t>(8)[8]);
    EXPECT_NEAR(static_cast<double>(video->frames[19].timestamp_us), 19e6 / 30, 1000);
    EXPECT_EQ(video->summary.damaged, 0);
    EXPECT_FALSE(video->summary.truncated);
  }
}

TEST_F(Video, OfVariableRateKeepsItsTimestamps) {
  const std::vector<std::int64_t> ticks = {0, 1, 5, 6, 20, 21, 22, 60};
  WriteTestVideo(Path("a.mp4"), {.frames = 8, .timestamps = ticks}, FillPattern);
  const auto video = DecodeAll(Path("a.mp4"));
  ASSERT_THAT(video, IsOk());
  ASSERT_EQ(video->frames.size(), ticks.size());
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(video->frames[i].timestamp_us),
                static_cast<double>(ticks[i]) * 1e6 / 30, 1);
  }
  EXPECT_NEAR(video->info.frames_per_s, 7 / 2.0, 1e-6);
}

TEST_F(Video, LeavesOutWhatTheEditListCuts) {
  std::vector<std::int64_t> ticks(10);
  for (int i = 0; i < 10; ++i) ticks[static_cast<std::size_t>(i)] = i - 3;
  WriteTestVideo(Path("a.mp4"), {.frames = 10, .timestamps = ticks}, FillWithNumber);
  const auto video = DecodeAll(Path("a.mp4"));
  ASSERT_THAT(video, IsOk());
  EXPECT_EQ(video->info.frames, 7);
  ASSERT_EQ(video->frames.size(), 7U);
  EXPECT_EQ(NumberOf(video->frames[0]), 3);
  EXPECT_EQ(video->frames[0].timestamp_us, 0);
}

TEST_F(Video, OfOneFrameIsEnough) {
  WriteTestVideo(Path("a.mp4"), {.frames = 1}, FillPattern);
  const auto video = DecodeAll(Path("a.mp4"));
  ASSERT_THAT(video, IsOk());
  EXPECT_EQ(video->info.frames, 1);
  EXPECT_EQ(video->frames.size(), 1U);
}

TEST_F(Video, MayHaveAnyName) {
  for (const char* name : {"видео 📱.mp4", "a'b\"c.mp4", "-x.mp4", "http:a.mp4", "%03d.mp4"}) {
    WriteTestVideo(Path(name), {.frames = 2}, FillPattern);
    EXPECT_THAT(DecodeAll(Path(name)), IsOk()) << name;
  }
  EXPECT_THAT(DecodeAll(Path("ничего.mp4")),
              FailsWith(Reason::kInputNotFound, HasSubstr("ничего")));
}

TEST_F(Video, IsTheSameForAnyNumberOfThreads) {
  WriteTestVideo(Path("a.mp4"), {.frames = 40, .lossless = false, .b_frames = 2}, FillPattern);
  const auto one = DecodeAll(Path("a.mp4"), {.threads = 1});
  ASSERT_THAT(one, IsOk());
  for (const int threads : {0, 2, 5, 64}) {
    const auto many = DecodeAll(Path("a.mp4"), {.threads = threads});
    ASSERT_THAT(many, IsOk());
    ExpectSameVideo(*one, *many);
  }
}

TEST_F(Video, WithBitErrorsGivesTheSameUsableFramesForAnyNumberOfThreads) {
  WriteTestVideo(Path("a.mp4"),
                 {.size = {160, 120}, .frames = 60, .lossless = false, .b_frames = 2}, FillPattern);
  std::string bytes = ReadBytes(Path("a.mp4"));
  const std::size_t data = bytes.find("mdat") + 4;
  const std::size_t end = bytes.find("moov") - 4;
  ASSERT_LT(data, end);
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    bytes[data + (end - data) / 4 + random() % ((end - data) * 3 / 4)] ^= static_cast<char>(0x55);
  }
  const auto file = folder_.Write("flipped.mp4", bytes);
  const auto one = DecodeAll(file, {.threads = 1});
  ASSERT_THAT(one, IsOk());
  EXPECT_GE(one->frames.size(), 12U);
  EXPECT_GT(one->summary.damaged, 0);
  EXPECT_THAT(one->summary.warnings, Contains(HasSubstr("damaged")));
  for (const int threads : {2, 3, 8}) {
    const auto many = DecodeAll(file, {.threads = threads});
    ASSERT_THAT(many, IsOk());
    ExpectSameVideo(*one, *many);
  }
}

TEST_F(Video, CutShortGivesTheFramesThatAreThere) {
  const std::vector<std::tuple<std::string, std::string>> cases = {
      {"a.mp4", "faststart"},
      {"fragments.mp4", "frag_keyframe+empty_moov"},
      {"a.mkv", ""},
      {"a.avi", ""}};
  for (const auto& [name, flags] : cases) {
    SCOPED_TRACE(name);
    WriteTestVideo(Path(name), {.frames = 60, .muxer_flags = flags}, FillPattern);
    const std::string bytes = ReadBytes(Path(name));
    const auto file = folder_.Write("cut_" + name, bytes.substr(0, bytes.size() / 2));
    const auto whole = DecodeAll(Path(name));
    const auto video = DecodeAll(file);
    ASSERT_THAT(whole, IsOk());
    ASSERT_THAT(video, IsOk());
    EXPECT_FALSE(whole->summary.truncated);
    EXPECT_TRUE(video->summary.truncated);
    EXPECT_THAT(video->summary.warnings, Contains(HasSubstr("the file ends before")));
    EXPECT_GT(video->frames.size(), 20U);
    EXPECT_LT(video->frames.size(), 40U);
    EXPECT_LE(static_cast<std::int64_t>(video->frames.size()), video->info.frames);
    for (std::size_t i = 0; i < video->frames.size(); ++i) {
      ASSERT_TRUE(SameBytes(video->frames[i].luma, whole->frames[i].luma)) << "frame " << i;
    }
  }
}

TEST_F(Video, ThatChangesItsSizeKeepsTheFramesOfTheFirst) {
  WriteTestVideo(Path("a.avi"),
                 {.size = {64, 48},
                  .frames = 10,
                  .codec = "mjpeg",
                  .full_range = true,
                  .other_size_from = 6,
                  .other_size = {96, 64}},
                 FillPattern);
  const auto video = DecodeAll(Path("a.avi"));
  ASSERT_THAT(video, IsOk());
  EXPECT_EQ(video->frames.size(), 6U);
  EXPECT_THAT(video->summary.warnings, ElementsAre(HasSubstr("4 frames of another size")));
}

TEST_F(Video, FramesOutliveTheSource) {
  WriteTestVideo(Path("a.mp4"), {.frames = 30, .full_range = true}, FillPattern);
  const auto video = DecodeAll(Path("a.mp4"));
  ASSERT_THAT(video, IsOk());
  for (std::size_t i = 1; i < video->frames.size(); ++i) {
    EXPECT_FALSE(SameBytes(video->frames[i].luma, video->frames[i - 1].luma)) << i;
    EXPECT_EQ(video->frames[i].picture->ToRgb().size(), (Size{64, 48}));
  }
}

}  // namespace
}  // namespace glint
