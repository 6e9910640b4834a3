// SPDX-License-Identifier: Apache-2.0
#include "decode/luma.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "decode/child/libav_picture.h"
#include "decode/decode_all.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"
#include "support/temp_folder.h"
#include "support/test_video.h"

namespace glint {
namespace {

// The definition, in floating point.
int ExpectedLuma(int sample, int depth, bool full_range) {
  const double unit = std::ldexp(1.0, depth - 8);
  const double value = full_range ? sample * 255 / (std::ldexp(1.0, depth) - 1)
                                  : (sample - 16 * unit) * 255 / (219 * unit);
  return static_cast<int>(std::floor(std::clamp(value, 0.0, 255.0) + 0.5));
}

TEST(Luma, IsRoundedToNearestForEverySampleValue) {
  for (const int depth : {8, 9, 10, 12, 14, 16}) {
    for (const bool full_range : {false, true}) {
      for (int sample = 0; sample < 1 << depth; ++sample) {
        ASSERT_EQ(FullRangeLuma(sample, depth, full_range), ExpectedLuma(sample, depth, full_range))
            << sample << " of " << depth << " bits, full range " << full_range;
      }
    }
  }
}

TEST(Luma, KnowsBlackGrayAndWhite) {
  EXPECT_EQ(FullRangeLuma(16, 8, false), 0);
  EXPECT_EQ(FullRangeLuma(15, 8, false), 0);
  EXPECT_EQ(FullRangeLuma(126, 8, false), 128);
  EXPECT_EQ(FullRangeLuma(235, 8, false), 255);
  EXPECT_EQ(FullRangeLuma(255, 8, false), 255);
  EXPECT_EQ(FullRangeLuma(940, 10, false), 255);
  EXPECT_EQ(FullRangeLuma(1023, 10, true), 255);
}

struct Case {
  std::string codec;
  std::string pixel_format;
  int depth;
  bool full_range;
  Size size;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.codec << " " << c.pixel_format << (c.full_range ? " full " : " limited ")
       << ToString(c.size);
}

class EncodedLuma : public testing::TestWithParam<Case> {};

TEST_P(EncodedLuma, ComesBackExactly) {
  const Case& c = GetParam();
  if (!HasEncoder(c.codec)) GTEST_SKIP() << "this libavcodec has no " << c.codec;
  const TempFolder folder;
  const auto file = folder.path() / "a.mkv";
  std::vector<Plane> expected;
  WriteTestVideo(file,
                 {.size = c.size,
                  .frames = 3,
                  .codec = c.codec,
                  .pixel_format = c.pixel_format,
                  .full_range = c.full_range},
                 [&](int index, TestFrame& frame) {
                   FillPattern(index, frame);
                   Plane plane = Plane::Host(c.size, PixelType::kU8);
                   for (int y = 0; y < c.size.height; ++y) {
                     for (int x = 0; x < c.size.width; ++x) {
                       plane.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(
                           ExpectedLuma(frame.Get(0, x, y), c.depth, c.full_range));
                     }
                   }
                   expected.push_back(plane);
                 });
  const auto video = DecodeAll(file);
  ASSERT_THAT(video, IsOk());
  EXPECT_EQ(video->info.bit_depth, c.depth);
  EXPECT_EQ(video->info.full_range, c.full_range);
  EXPECT_EQ(video->info.size, c.size);
  ASSERT_EQ(video->frames.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(SameBytes(video->frames[i].luma, expected[i])) << "frame " << i;
    EXPECT_TRUE(SameBytes(video->frames[i].picture->ToLuma(), expected[i])) << "frame " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, EncodedLuma,
                         testing::Values(Case{"libx264", "yuv420p", 8, false, {64, 48}},
                                         Case{"libx264", "yuv420p", 8, true, {64, 48}},
                                         Case{"libx264", "yuv420p", 8, false, {66, 50}},
                                         Case{"libx264", "yuv422p", 8, false, {98, 61}},
                                         Case{"libx264", "yuv444p", 8, false, {97, 61}},
                                         Case{"libx264", "yuv444p", 8, true, {97, 61}},
                                         Case{"libx264", "gray", 8, false, {50, 40}},
                                         Case{"libx264", "nv12", 8, false, {64, 48}},
                                         Case{"libx264", "yuv420p10le", 10, false, {64, 48}},
                                         Case{"libx264", "yuv422p10le", 10, true, {98, 61}},
                                         Case{"libx264", "yuv444p10le", 10, false, {97, 61}},
                                         Case{"libx265", "yuv420p12le", 12, false, {64, 48}},
                                         Case{"libx265", "yuv444p12le", 12, true, {96, 64}},
                                         Case{"libvpx-vp9", "yuv420p", 8, false, {67, 51}},
                                         Case{"libvpx-vp9", "yuv440p", 8, false, {64, 48}}));

// Software decoders do not give these layouts, but hardware ones do.
TEST(Luma, ReadsSemiPlanarFrames) {
  for (const AVPixelFormat format : {AV_PIX_FMT_NV12, AV_PIX_FMT_P010LE}) {
    std::shared_ptr<AVFrame> frame = NewFrame();
    frame->format = format;
    frame->width = 5;
    frame->height = 3;
    ASSERT_GE(av_frame_get_buffer(frame.get(), 0), 0);
    const bool wide = format == AV_PIX_FMT_P010LE;
    for (int y = 0; y < 3; ++y) {
      std::uint8_t* row = frame->data[0] + std::ptrdiff_t{y} * frame->linesize[0];
      for (int x = 0; x < 5; ++x) {
        const int value = 16 + 40 * x + y;
        if (wide) {
          reinterpret_cast<std::uint16_t*>(row)[x] = static_cast<std::uint16_t>(value << 8);
        } else {
          row[x] = static_cast<std::uint8_t>(value);
        }
      }
    }
    const Plane luma = PictureToLuma(PictureOf(frame, false), {});
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 5; ++x) {
        EXPECT_EQ(luma.Row<std::uint8_t>(y)[x], ExpectedLuma(16 + 40 * x + y, 8, false));
      }
    }
  }
}

// What made the frame could still write there.
TEST(Luma, OfFullRangeFramesIsCopied) {
  std::shared_ptr<AVFrame> frame = NewFrame();
  frame->format = AV_PIX_FMT_YUV420P;
  frame->width = 32;
  frame->height = 16;
  ASSERT_GE(av_frame_get_buffer(frame.get(), 0), 0);
  const Plane luma = PictureToLuma(PictureOf(frame, true), {});
  EXPECT_NE(reinterpret_cast<std::uint8_t*>(luma.data()), frame->data[0]);
}

// The list of names is the whole rule; this is the rule that it was made by, for this FFmpeg.
TEST(PixelLayout, IsKnownForEveryPlanarLumaOfThisFfmpeg) {
  constexpr std::uint64_t kOther =
      AV_PIX_FMT_FLAG_BE | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM |
      AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
  int known = 0;
  for (const AVPixFmtDescriptor* about = nullptr;
       (about = av_pix_fmt_desc_next(about)) != nullptr;) {
    const AVComponentDescriptor& luma = about->comp[0];
    const int depth = luma.depth;
    bool planar = (about->flags & kOther) == 0 && depth >= 8 && depth <= 16 &&
                  luma.step == (depth > 8 ? 2 : 1);
    for (int i = 1; i < 3 && about->nb_components >= 3; ++i)
      planar &= about->comp[i].depth == depth;
    EXPECT_EQ(LayoutOf(av_pix_fmt_desc_get_id(about)).has_value(), planar) << about->name;
    known += planar ? 1 : 0;
  }
  EXPECT_GT(known, 50);
}

TEST(PixelLayout, RefusesWhatIsNoPlanarLuma) {
  for (const AVPixelFormat format :
       {AV_PIX_FMT_NONE, AV_PIX_FMT_RGB24, AV_PIX_FMT_GBRP, AV_PIX_FMT_PAL8, AV_PIX_FMT_YUYV422,
        AV_PIX_FMT_MONOBLACK, AV_PIX_FMT_YUV420P10BE, AV_PIX_FMT_XYZ12LE, AV_PIX_FMT_VAAPI}) {
    EXPECT_FALSE(LayoutOf(format).has_value()) << format;
  }
}

}  // namespace
}  // namespace glint
