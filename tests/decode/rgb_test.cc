// SPDX-License-Identifier: Apache-2.0
#include "decode/rgb.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>

#include "decode/child/libav_picture.h"

namespace glint {
namespace {

struct Matrix {
  const char* name;
  AVColorSpace space;
  double red, blue;  // weights in luma
};

constexpr std::array kMatrices = {
    Matrix{"BT.601", AVCOL_SPC_SMPTE170M, 0.299, 0.114},
    Matrix{"BT.601 PAL", AVCOL_SPC_BT470BG, 0.299, 0.114},
    Matrix{"BT.709", AVCOL_SPC_BT709, 0.2126, 0.0722},
    Matrix{"BT.2020", AVCOL_SPC_BT2020_NCL, 0.2627, 0.0593},
};

std::shared_ptr<AVFrame> MakeFrame(AVPixelFormat format, Size size) {
  std::shared_ptr<AVFrame> frame = NewFrame();
  frame->format = format;
  frame->width = size.width;
  frame->height = size.height;
  EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
  return frame;
}

void SetSample(AVFrame& frame, int component, int x, int y, int value) {
  const auto layout = *LayoutOf(static_cast<AVPixelFormat>(frame.format));
  const auto& c = layout.components[static_cast<std::size_t>(component)];
  std::uint8_t* at = frame.data[c.plane] + std::ptrdiff_t{y} * frame.linesize[c.plane] +
                     std::ptrdiff_t{x} * c.step + c.offset;
  if (layout.depth == 8) {
    *at = static_cast<std::uint8_t>(value);
  } else {
    const auto sample = static_cast<std::uint16_t>(value << c.shift);
    std::memcpy(at, &sample, sizeof sample);
  }
}

// The standards' equations in floating point.
std::array<int, 3> ExpectedRgb(const Matrix& m, int depth, bool full, double y, double u,
                               double v) {
  const double unit = std::ldexp(1.0, depth - 8);
  const double top = std::ldexp(1.0, depth) - 1;
  const double luma = full ? y / top : (y - 16 * unit) / (219 * unit);
  const double scale = full ? top : 224 * unit;
  const double pb = (u - 128 * unit) / scale;
  const double pr = (v - 128 * unit) / scale;
  const double r = luma + 2 * (1 - m.red) * pr;
  const double b = luma + 2 * (1 - m.blue) * pb;
  const double g = (luma - m.red * r - m.blue * b) / (1 - m.red - m.blue);
  const auto byte = [](double value) {
    return static_cast<int>(std::floor(std::clamp(value * 255, 0.0, 255.0) + 0.5));
  };
  return {byte(r), byte(g), byte(b)};
}

TEST(Rgb, FollowsTheStandardsEquations) {
  std::mt19937 random(11);
  const std::array<std::pair<AVPixelFormat, int>, 3> formats = {
      {{AV_PIX_FMT_YUV444P, 8}, {AV_PIX_FMT_YUV444P10LE, 10}, {AV_PIX_FMT_YUV444P12LE, 12}}};
  int rounded_otherwise = 0;
  for (const Matrix& m : kMatrices) {
    for (const auto& [format, depth] : formats) {
      for (const bool full : {false, true}) {
        const Size size = {61, 40};
        const auto frame = MakeFrame(format, size);
        frame->colorspace = m.space;
        std::vector<std::array<int, 3>> samples;
        for (int i = 0; i < size.area(); ++i) {
          samples.push_back({});
          for (int c = 0; c < 3; ++c) {
            samples.back()[c] = static_cast<int>(random() % (1U << depth));
            SetSample(*frame, c, i % size.width, i / size.width, samples.back()[c]);
          }
        }
        const Plane rgb = PictureToRgb(PictureOf(frame, full), {});
        for (int i = 0; i < size.area(); ++i) {
          const auto& s = samples[static_cast<std::size_t>(i)];
          const auto expected = ExpectedRgb(m, depth, full, s[0], s[1], s[2]);
          const auto* actual =
              rgb.Row<std::uint8_t>(i / size.width) + std::ptrdiff_t{3} * (i % size.width);
          for (int c = 0; c < 3; ++c) {
            ASSERT_NEAR(actual[c], expected[c], 1) << m.name << " " << depth << " full " << full;
            rounded_otherwise += actual[c] != expected[c] ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_LE(rounded_otherwise, 20);  // fixed point against double: only values next to a half
}

TEST(Rgb, OfGrayHasEqualChannels) {
  const auto frame = MakeFrame(AV_PIX_FMT_GRAY8, {3, 1});
  for (int x = 0; x < 3; ++x) SetSample(*frame, 0, x, 0, std::array{16, 126, 235}[x]);
  const Plane rgb = PictureToRgb(PictureOf(frame, false), {});
  const std::vector<int> bytes(rgb.Row<std::uint8_t>(0), rgb.Row<std::uint8_t>(0) + 9);
  EXPECT_EQ(bytes, (std::vector{0, 0, 0, 128, 128, 128, 255, 255, 255}));
}

TEST(Rgb, WithoutDeclaredMatrixDependsOnTheShorterSide) {
  const auto red_of = [](Size size, AVColorSpace space) {
    const auto frame = MakeFrame(AV_PIX_FMT_YUV444P, size);
    frame->colorspace = space;
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        SetSample(*frame, 0, x, y, 81);
        SetSample(*frame, 1, x, y, 90);
        SetSample(*frame, 2, x, y, 200);
      }
    }
    return int{PictureToRgb(PictureOf(frame, false), {}).Row<std::uint8_t>(0)[0]};
  };
  const int bt601 = red_of({32, 16}, AVCOL_SPC_BT470BG);
  const int bt709 = red_of({32, 16}, AVCOL_SPC_BT709);
  EXPECT_NE(bt601, bt709);
  EXPECT_EQ(red_of({1024, 576}, AVCOL_SPC_UNSPECIFIED), bt601);
  EXPECT_EQ(red_of({480, 854}, AVCOL_SPC_UNSPECIFIED), bt601);
  EXPECT_EQ(red_of({1280, 720}, AVCOL_SPC_UNSPECIFIED), bt709);
  EXPECT_EQ(red_of({720, 1280}, AVCOL_SPC_UNSPECIFIED), bt709);
}

// Blue on one side, neutral on the other: where the change lies shows the sites of the chroma
// samples. Y = 126, neutral = 128; blue's U is 228, so B is 128 + k * 2 * (1 - 0.114) * ...
TEST(Rgb, InterpolatesChromaBetweenItsSites) {
  struct Case {
    AVChromaLocation location;
    std::array<int, 8> u_x32;  // U - 128 at the luma columns of one row, in 1/32 of the step
  };
  const std::array<Case, 3> cases = {{
      // Chroma columns 0..3 hold 0, 0, 64, 64.
      {AVCHROMA_LOC_UNSPECIFIED, {0, 0, 0, 16, 32, 32, 32, 32}},
      {AVCHROMA_LOC_LEFT, {0, 0, 0, 16, 32, 32, 32, 32}},
      {AVCHROMA_LOC_CENTER, {0, 0, 0, 8, 24, 32, 32, 32}},
  }};
  for (const Case& c : cases) {
    for (const AVPixelFormat format : {AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12, AV_PIX_FMT_P010LE}) {
      const auto layout = *LayoutOf(format);
      const int unit = 1 << (layout.depth - 8);
      const auto frame = MakeFrame(format, {8, 4});
      frame->chroma_location = c.location;
      frame->colorspace = AVCOL_SPC_SMPTE170M;
      for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 8; ++x) SetSample(*frame, 0, x, y, 100 * unit);
      }
      for (int y = 0; y < 2; ++y) {
        for (int x = 0; x < 4; ++x) {
          SetSample(*frame, 1, x, y, (x < 2 ? 128 : 192) * unit);
          SetSample(*frame, 2, x, y, 128 * unit);
        }
      }
      const Plane rgb = PictureToRgb(PictureOf(frame, true), {});
      for (int x = 0; x < 8; ++x) {
        const auto expected = ExpectedRgb(kMatrices[0], layout.depth, true, 100 * unit,
                                          (128 + 2 * c.u_x32[x]) * unit, 128 * unit);
        EXPECT_EQ(int{rgb.Row<std::uint8_t>(1)[3 * x + 2]}, expected[2]) << x << " " << c.location;
        EXPECT_EQ(int{rgb.Row<std::uint8_t>(1)[3 * x + 1]}, expected[1]) << x << " " << c.location;
      }
    }
  }
}

TEST(Rgb, InterpolatesRowsOnlyWhereChromaHasFewer) {
  for (const auto& [format, expected] : {std::pair{AV_PIX_FMT_YUV420P, std::array{0, 8, 24, 32}},
                                         std::pair{AV_PIX_FMT_YUV422P, std::array{0, 0, 32, 32}}}) {
    const auto layout = *LayoutOf(format);
    const auto frame = MakeFrame(format, {4, 4});
    frame->colorspace = AVCOL_SPC_SMPTE170M;
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 4; ++x) SetSample(*frame, 0, x, y, 100);
      for (int x = 0; x < 2; ++x) {
        const int chroma_y = y >> layout.chroma_shift_y;
        SetSample(*frame, 1, x, chroma_y, y < 2 ? 128 : 192);
        SetSample(*frame, 2, x, chroma_y, 128);
      }
    }
    const Plane rgb = PictureToRgb(PictureOf(frame, true), {});
    for (int y = 0; y < 4; ++y) {
      const auto blue = ExpectedRgb(kMatrices[0], 8, true, 100, 128 + 2 * expected[y], 128)[2];
      EXPECT_EQ(int{rgb.Row<std::uint8_t>(y)[2]}, blue) << y;
    }
  }
}

TEST(Rgb, WorksAtOddSizes) {
  for (const AVPixelFormat format :
       {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV410P, AV_PIX_FMT_YUV411P}) {
    const auto layout = *LayoutOf(format);
    const Size size = {17, 19};
    const auto frame = MakeFrame(format, size);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        SetSample(*frame, 0, x, y, 126);
        SetSample(*frame, 1, x >> layout.chroma_shift_x, y >> layout.chroma_shift_y, 128);
        SetSample(*frame, 2, x >> layout.chroma_shift_x, y >> layout.chroma_shift_y, 128);
      }
    }
    const Plane rgb = PictureToRgb(PictureOf(frame, false), {});
    for (int y = 0; y < size.height; ++y) {
      for (int i = 0; i < 3 * size.width; ++i) ASSERT_EQ(int{rgb.Row<std::uint8_t>(y)[i]}, 128);
    }
  }
}

struct Coded {
  AVPixelFormat format;
  Size size;
  AVChromaLocation location = AVCHROMA_LOC_LEFT;
};

/// The same samples for every format.
std::shared_ptr<AVFrame> Speckled(const Coded& coded) {
  std::mt19937 random(17);
  const auto frame = MakeFrame(coded.format, coded.size);
  frame->chroma_location = coded.location;
  const auto layout = *LayoutOf(coded.format);
  for (int component = 0; component < 3; ++component) {
    const Size size = layout.SizeOf(component, coded.size);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        SetSample(*frame, component, x, y, static_cast<int>(random() % 256));
      }
    }
  }
  return frame;
}

void ExpectEqual(const Plane& actual, const Plane& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (int y = 0; y < actual.height(); ++y) {
    const std::span row(actual.Row<std::uint8_t>(y), static_cast<std::size_t>(3 * actual.width()));
    const auto* other = expected.Row<std::uint8_t>(y);
    ASSERT_TRUE(std::ranges::equal(row, std::span(other, row.size()))) << "row " << y;
  }
}

// Planes of bytes have a way of their own, and semi-planar ones the way of all others.
TEST(Rgb, OfPlanesOfBytesIsThatOfTheSameSamplesInAnyOtherLayout) {
  const std::array<std::pair<AVPixelFormat, AVPixelFormat>, 3> formats = {
      {{AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12},
       {AV_PIX_FMT_YUV422P, AV_PIX_FMT_NV16},
       {AV_PIX_FMT_YUV444P, AV_PIX_FMT_NV24}}};
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const auto& [planar, other] : formats) {
      for (const Size size : {Size{8, 8}, Size{9, 11}, Size{130, 34}, Size{67, 95}}) {
        for (const AVChromaLocation location :
             {AVCHROMA_LOC_LEFT, AVCHROMA_LOC_CENTER, AVCHROMA_LOC_TOPLEFT, AVCHROMA_LOC_TOP}) {
          const bool full_range = size.width == 9;
          const auto picture = PictureOf(Speckled({planar, size, location}), full_range);
          const auto semi_planar = PictureOf(Speckled({other, size, location}), full_range);
          for (int turn = 0; turn < 8; ++turn) {
            SCOPED_TRACE(testing::Message() << planar << " turned " << turn << " at " << location);
            const Orientation orientation{(turn & 1) != 0, (turn & 2) != 0, (turn & 4) != 0};
            ExpectEqual(PictureToRgb(picture, orientation), PictureToRgb(semi_planar, orientation));
          }
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace glint
