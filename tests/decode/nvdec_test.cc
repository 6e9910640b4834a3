// SPDX-License-Identifier: Apache-2.0
// NVDEC's frames are the CPU's, on a machine with an NVIDIA GPU. Skipped without one; a failure
// then with GLINT_REQUIRE_GPU=1.
#include "decode/child/nvdec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "decode/decode_all.h"
#include "decode/sandbox/sandboxed_video.h"
#include "support/needs_gpu.h"
#include "support/plane_compare.h"
#include "support/shared_data.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

class NvdecOnAGpu : public testing::Test {
 protected:
  void SetUp() override {
    const absl::Status opened = OpenNvdec().status();
    GLINT_NEEDS_GPU(opened);
  }

  const TempFolder folder_;
};

absl::StatusOr<std::unique_ptr<VideoSource>> Open(const std::filesystem::path& file,
                                                  DecodeMode decode, bool confined) {
  const VideoOptions options{.decode = decode};
  return confined ? OpenVideoInSandbox(file, options, {}, {}) : OpenVideoInProcess(file, options);
}

/// Compares a video's frames. @param decoder  what must have decoded it
void ExpectTheCpusFrames(const std::filesystem::path& file, bool confined,
                         std::string_view decoder) {
  SCOPED_TRACE(file.filename().string() + (confined ? " in the sandbox" : ""));
  auto gpu = Open(file, DecodeMode::kNvdec, confined);
  auto cpu = Open(file, DecodeMode::kCpu, false);
  ASSERT_THAT(gpu, IsOk());
  ASSERT_THAT(cpu, IsOk());
  EXPECT_EQ((*gpu)->info().decoder, decoder) << (*gpu)->info().decoder_why;
  EXPECT_EQ((*gpu)->info().pixel_format, (*cpu)->info().pixel_format);
  for (std::int64_t i = 0;; ++i) {
    auto found = (*gpu)->Next();
    auto expected = (*cpu)->Next();
    ASSERT_THAT(found, IsOk());
    ASSERT_THAT(expected, IsOk());
    ASSERT_EQ(found->has_value(), expected->has_value()) << "after frame " << i;
    if (!found->has_value()) break;
    ASSERT_EQ((*found)->timestamp_us, (*expected)->timestamp_us) << "frame " << i;
    ASSERT_TRUE(SameBytes((*found)->luma, (*expected)->luma)) << "frame " << i;
    if (i % 20 == 0) {
      ASSERT_TRUE(SameBytes((*found)->picture->ToRgb(), (*expected)->picture->ToRgb())) << i;
    }
  }
  EXPECT_EQ((*gpu)->summary().warnings, (*cpu)->summary().warnings);
}

TEST(Nvdec, ADriverWithoutItsDecoderIsToldFromNone) {
  EXPECT_THAT(
      LoadVideoDriver("libnvcuvid-of-no-driver.so.1"),
      FailsWith(Reason::kDeviceUnavailable,
                testing::AllOf(testing::HasSubstr("libnvcuvid-of-no-driver.so.1 is missing"),
                               testing::HasSubstr("libnvcuvid1"),
                               testing::HasSubstr("CAPABILITIES name video"))));
}

TEST_F(NvdecOnAGpu, GivesTheCpusFrames) {
  struct Case {
    const char* name;
    TestVideoOptions options;
  };
  const std::vector<Case> cases = {
      {"h264.mp4", {.size = {640, 360}, .frames = 60, .lossless = false, .b_frames = 3}},
      {"odd.mp4", {.size = {322, 182}, .frames = 30, .lossless = false}},
      {"full.mp4", {.size = {640, 360}, .full_range = true, .lossless = false}},
      {"turned.mov", {.size = {640, 360}, .lossless = false, .display_matrix = RotationMatrix(90)}},
      {"large.mp4", {.size = {1920, 1080}, .frames = 30, .lossless = false, .b_frames = 2}},
      {"hevc.mp4", {.size = {640, 360}, .codec = "libx265", .lossless = false}},
      {"ten.mp4",
       {.size = {640, 360}, .codec = "libx265", .pixel_format = "yuv420p10le", .lossless = false}},
      {"vp8.webm", {.size = {640, 360}, .codec = "libvpx", .lossless = false}},
      {"vp9.webm", {.size = {640, 360}, .codec = "libvpx-vp9", .lossless = false}},
  };
  for (const auto& [name, options] : cases) {
    if (!HasEncoder(options.codec)) continue;
    const auto file = folder_.path() / name;
    WriteTestVideo(file, options, FillPattern);
    for (const bool confined : {false, true}) ExpectTheCpusFrames(file, confined, "nvdec");
  }
}

TEST_F(NvdecOnAGpu, LeavesToTheCpuWhatItCannotDecode) {
  const auto small = folder_.path() / "small.mp4";  // smaller than NVDEC takes
  WriteTestVideo(small, {.size = {32, 32}}, FillPattern);
  const auto chroma = folder_.path() / "422.mkv";
  WriteTestVideo(chroma, {.pixel_format = "yuv422p"}, FillPattern);
  for (const auto& file : {small, chroma}) ExpectTheCpusFrames(file, false, "cpu");
}

TEST_F(NvdecOnAGpu, GivesTheCpusFramesOfTheSharedClips) {
  GLINT_NEEDS_SHARED_DATA();
  for (const auto& entry : std::filesystem::directory_iterator(*SharedData() / "clips")) {
    if (entry.path().extension() != ".mp4") continue;
    auto video = OpenVideoInProcess(entry.path(), {.decode = DecodeMode::kNvdec});
    if (!video.ok()) continue;  // a clip that is no video
    ExpectTheCpusFrames(entry.path(), true, (*video)->info().decoder);
  }
}

}  // namespace
}  // namespace glint
