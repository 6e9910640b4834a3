// SPDX-License-Identifier: Apache-2.0
// Decoding with a GPU's decoder, and everything that sends a video back to the CPU. The accelerator
// is one that decodes on the CPU and gives its pictures as NVDEC does: as NV12 or P010, in buffers
// that are larger than they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "decode/child/libav_picture.h"
#include "decode/child/nvdec.h"
#include "decode/child/raw_video.h"
#include "decode/decode_all.h"
#include "decode/luma.h"
#include "decode/rgb.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

extern "C" {
#include <libavutil/imgutils.h>
}

namespace glint {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

/// What goes wrong, and when.
struct Faults {
  int fails_at = -1;                           ///< the picture that does not come off
  AVPixelFormat gives = AV_PIX_FMT_NONE;       ///< instead of NV12 or P010
  AVPixelFormat surface = AV_PIX_FMT_YUV420P;  ///< what counts as a picture on the GPU
};

class FakeAccelerator final : public VideoAccelerator {
 public:
  explicit FakeAccelerator(const Faults& faults) : faults_(faults) {}
  std::string_view name() const override { return "nvdec"; }
  AVPixelFormat surface() const override { return faults_.surface; }
  AVBufferRef* device() const override { return nullptr; }

  int Download(AVFrame& to, const AVFrame& picture) override {
    if (downloads_++ == faults_.fails_at) return AVERROR_EXTERNAL;
    const bool wide = picture.format == AV_PIX_FMT_YUV420P10LE;
    to.format = faults_.gives != AV_PIX_FMT_NONE ? faults_.gives
                : wide                           ? AV_PIX_FMT_P010LE
                                                 : AV_PIX_FMT_NV12;
    to.width = (picture.width + 31) / 32 * 32;
    to.height = (picture.height + 31) / 32 * 32;
    if (const int code = av_frame_get_buffer(&to, 0); code < 0) return code;
    if (to.format == AV_PIX_FMT_P016LE) return 0;
    Copy(picture, 0, to, 0, 0, 1, wide);
    Copy(picture, 1, to, 1, 0, 2, wide);
    Copy(picture, 2, to, 1, 1, 2, wide);
    return 0;
  }

 private:
  /// Copies a plane to every `step`th sample of another, from `first` on.
  static void Copy(const AVFrame& from, int plane, AVFrame& to, int to_plane, int first, int step,
                   bool wide) {
    const int width = plane == 0 ? from.width : (from.width + 1) / 2;
    const int height = plane == 0 ? from.height : (from.height + 1) / 2;
    for (int y = 0; y < height; ++y) {
      const std::uint8_t* in = from.data[plane] + std::ptrdiff_t{y} * from.linesize[plane];
      std::uint8_t* out = to.data[to_plane] + std::ptrdiff_t{y} * to.linesize[to_plane];
      for (int x = 0; x < width; ++x) {
        const std::ptrdiff_t at = std::ptrdiff_t{x} * step + first;
        if (wide) {
          std::uint16_t sample = 0;
          std::memcpy(&sample, in + std::ptrdiff_t{x} * 2, 2);
          sample = static_cast<std::uint16_t>(sample << 6);
          std::memcpy(out + at * 2, &sample, 2);
        } else {
          out[at] = in[x];
        }
      }
    }
  }

  const Faults faults_;
  int downloads_ = 0;
};

Acceleration Fake(const Faults& faults = {}) {
  return {std::make_shared<FakeAccelerator>(faults), "asked for"};
}

struct Decoded {
  absl::Status status;
  VideoInfo info;
  DecodeSummary summary;
  std::vector<std::int64_t> timestamps_us;
  std::vector<Plane> luma, colours;
};

Decoded Decode(const std::filesystem::path& file, Acceleration acceleration, int threads = 2) {
  Decoded out;
  const VideoOptions options{.threads = threads};
  auto opened = OpenRegularFile(file, options.limits);
  auto input = InspectFile(QuotedName(file), *std::move(opened));
  auto video = RawVideo::Open(*std::move(input), options, nullptr, std::move(acceleration));
  out.status = video.status();
  if (!video.ok()) return out;
  while (true) {
    auto next = (*video)->Next();
    out.status = next.status();
    if (!next.ok() || !next->has_value()) break;
    const RawFrame& raw = **next;
    const PlanarPicture picture = PictureOf(raw.picture, raw.full_range);
    out.timestamps_us.push_back(raw.timestamp_us);
    out.luma.push_back(PictureToLuma(picture, (*video)->orientation()));
    out.colours.push_back(PictureToRgb(picture, (*video)->orientation()));
  }
  out.info = (*video)->info();
  out.summary = (*video)->summary();
  return out;
}

/// The CPU's frames, times and facts.
void ExpectSame(const Decoded& found, const Decoded& expected) {
  EXPECT_EQ(ReasonOf(found.status), ReasonOf(expected.status));
  EXPECT_EQ(Message(found.status), Message(expected.status));
  EXPECT_EQ(found.info.pixel_format, expected.info.pixel_format);
  EXPECT_EQ(found.info.size, expected.info.size);
  EXPECT_EQ(found.info.bit_depth, expected.info.bit_depth);
  EXPECT_EQ(found.info.full_range, expected.info.full_range);
  EXPECT_EQ(found.summary.frames, expected.summary.frames);
  EXPECT_EQ(found.summary.damaged, expected.summary.damaged);
  EXPECT_EQ(found.timestamps_us, expected.timestamps_us);
  ASSERT_EQ(found.luma.size(), expected.luma.size());
  for (std::size_t i = 0; i < expected.luma.size(); ++i) {
    ASSERT_TRUE(SameBytes(found.luma[i], expected.luma[i])) << "frame " << i;
    ASSERT_TRUE(SameBytes(found.colours[i], expected.colours[i])) << "colours of frame " << i;
  }
}

class Accelerator : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, const TestVideoOptions& options) const {
    auto file = folder_.path() / name;
    WriteTestVideo(file, options, FillPattern);
    return file;
  }
  const TempFolder folder_;
};

TEST_F(Accelerator, GivesTheCpusFramesOfEveryVideoThatItTakes) {
  struct Case {
    const char* name;
    TestVideoOptions options;
    AVPixelFormat surface = AV_PIX_FMT_YUV420P;
  };
  const std::vector<Case> cases = {
      {"h264.mp4", {.frames = 40, .lossless = false, .b_frames = 3}},
      {"odd.mp4", {.size = {66, 50}, .lossless = false}},
      {"turned.mov", {.lossless = false, .display_matrix = RotationMatrix(90)}},
      {"bt709.mp4", {.size = {640, 480}, .color_space = "bt709", .lossless = false}},
      {"full.mp4", {.full_range = true, .lossless = false}, AV_PIX_FMT_YUVJ420P},
      {"uneven.mkv", {.frames = 5, .lossless = false, .timestamps = {0, 1, 5, 6, 40}}},
      {"hevc.mp4", {.codec = "libx265"}},
      {"ten.mp4", {.codec = "libx265", .pixel_format = "yuv420p10le"}, AV_PIX_FMT_YUV420P10LE},
      {"vp8.webm", {.codec = "libvpx"}},
      {"vp9.webm", {.codec = "libvpx-vp9"}},
  };
  for (const auto& [name, options, surface] : cases) {
    SCOPED_TRACE(name);
    if (!HasEncoder(options.codec)) continue;
    const auto file = Write(name, options);
    const Decoded expected = Decode(file, {});
    const Decoded found = Decode(file, Fake({.surface = surface}));
    ASSERT_THAT(found.status, IsOk());
    EXPECT_EQ(found.info.decoder, "nvdec") << found.info.decoder_why;
    EXPECT_EQ(found.info.decoder_why, "asked for");
    EXPECT_EQ(found.summary.warnings, expected.summary.warnings);
    EXPECT_EQ(expected.info.decoder, "cpu");
    EXPECT_GT(found.luma.size(), 3);
    ExpectSame(found, expected);
  }
}

/// The CPU decodes from the first frame on, and says why.
void ExpectRefused(const std::filesystem::path& file, const Faults& faults,
                   const std::string& why) {
  const Decoded found = Decode(file, Fake(faults));
  EXPECT_EQ(found.info.decoder, "cpu");
  EXPECT_THAT(found.info.decoder_why,
              AllOf(HasSubstr("nvdec was asked for, but "), HasSubstr(why)));
  ExpectSame(found, Decode(file, {}));
}

TEST_F(Accelerator, IsNotAskedForCodecsWhosePicturesDifferFromDecoderToDecoder) {
  ExpectRefused(Write("a.avi", {.codec = "mpeg4", .lossless = false}), {}, "pictures of mpeg4");
  ExpectRefused(Write("a.mov", {.codec = "mjpeg", .pixel_format = "yuvj420p"}), {},
                "pictures of mjpeg");
  if (!HasEncoder("libaom-av1")) return;
  ExpectRefused(Write("a.mp4", {.codec = "libaom-av1"}), {}, "pictures of av1");
}

TEST_F(Accelerator, ThatDoesNotTakeAVideoLeavesItToTheCpu) {
  // A format that no decoder offers for this profile, and one whose device is missing.
  ExpectRefused(Write("422.mkv", {.pixel_format = "yuv422p"}), {}, "codec, profile or size");
  ExpectRefused(Write("a.mp4", {.frames = 30, .lossless = false, .b_frames = 2}),
                {.surface = AV_PIX_FMT_CUDA}, "codec, profile or size");
}

TEST_F(Accelerator, IsNotTrustedWithProfilesThatItDoesNotKnow) {
  ExpectRefused(Write("a.mp4", {.frames = 30}), {}, "the profile High 4:4:4 Predictive");
}

TEST_F(Accelerator, ThatGivesAnotherLayoutLeavesTheVideoToTheCpu) {
  ExpectRefused(Write("a.mp4", {.lossless = false}), {.gives = AV_PIX_FMT_P016LE},
                "frames as p016");
}

TEST_F(Accelerator, ThatFailsOnTheWayIsReplacedWithoutAFrameLostOrTwice) {
  const auto file = Write("a.mp4", {.frames = 30, .lossless = false, .b_frames = 2});
  ExpectRefused(file, {.fails_at = 0}, "did not come off the GPU");
  for (const int fails_at : {1, 7, 29}) {
    SCOPED_TRACE(fails_at);
    const Decoded found = Decode(file, Fake({.fails_at = fails_at}));
    EXPECT_EQ(found.info.decoder, "nvdec");
    EXPECT_THAT(found.summary.warnings, Contains(AllOf(HasSubstr("the CPU decoded the video again"),
                                                       HasSubstr("did not come off the GPU"))));
    ExpectSame(found, Decode(file, {}));
  }
}

TEST_F(Accelerator, LeavesDamagedVideosToTheCpu) {
  const auto whole =
      Write("a.mp4", {.frames = 60, .lossless = false, .b_frames = 2, .muxer_flags = "faststart"});
  const std::string good = ReadBytes(whole);
  const std::size_t data = good.find("mdat") + 8;
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(round);
    std::string bytes = good;
    for (int hit = 0; hit <= round; ++hit) {
      bytes[data + (bytes.size() - data) / 13 * static_cast<std::size_t>(hit + 1)] ^= 0x55;
    }
    const auto file = folder_.Write("damaged.mp4", bytes);
    ExpectSame(Decode(file, Fake()), Decode(file, {}));
  }
}

TEST_F(Accelerator, LeavesVideosThatEndEarlyToTheCpu) {
  const std::string good = ReadBytes(Write("a.mp4", {.frames = 60, .muxer_flags = "faststart"}));
  ExpectRefused(folder_.Write("cut.mp4", good.substr(0, good.size() * 2 / 3)), {},
                "the file ends before the video does");
}

TEST_F(Accelerator, FailsAsTheCpuDoesWhereNothingCanBeDecoded) {
  std::string bytes = ReadBytes(Write("a.mp4", {.frames = 10, .muxer_flags = "faststart"}));
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.find("mdat") + 4), bytes.end(), '\5');
  const auto file = folder_.Write("noise.mp4", bytes);
  const Decoded found = Decode(file, Fake());
  EXPECT_FALSE(found.status.ok());
  ExpectSame(found, Decode(file, {}));
}

TEST(DecodeModes, SayWhoDecodesAndWhy) {
  EXPECT_EQ(ChooseDecoder(DecodeMode::kCpu).accelerator, nullptr);
  EXPECT_EQ(ChooseDecoder(DecodeMode::kCpu).why, "asked for");
  EXPECT_EQ(ChooseDecoder(DecodeMode::kAuto).accelerator, nullptr);
  EXPECT_THAT(ChooseDecoder(DecodeMode::kAuto).why, HasSubstr("auto: "));
  EXPECT_EQ(NoNvdec("it rains").why, "nvdec was asked for, but it rains");
}

TEST_F(Accelerator, IsNotNeeded) {
  const auto nvdec = OpenNvdec();
  if (nvdec.ok()) GTEST_SKIP() << "NVDEC works here";
  EXPECT_THAT(nvdec,
              FailsWith(Reason::kDeviceUnavailable, HasSubstr("NVDEC does not work here: ")));
  const auto file = Write("a.mp4", {});
  const auto found = DecodeAll(file, {.decode = DecodeMode::kNvdec});
  const auto expected = DecodeAll(file, {.decode = DecodeMode::kCpu});
  ASSERT_THAT(found, IsOk());
  ASSERT_THAT(expected, IsOk());
  EXPECT_EQ(found->info.decoder, "cpu");
  EXPECT_THAT(found->info.decoder_why,
              AllOf(HasSubstr("nvdec was asked for, but "), HasSubstr(Message(nvdec.status()))));
  EXPECT_EQ(expected->info.decoder_why, "asked for");
  ASSERT_EQ(found->frames.size(), expected->frames.size());
  for (std::size_t i = 0; i < expected->frames.size(); ++i) {
    EXPECT_TRUE(SameBytes(found->frames[i].luma, expected->frames[i].luma));
  }
}

}  // namespace
}  // namespace glint
