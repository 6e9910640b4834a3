// SPDX-License-Identifier: Apache-2.0
// Warps of every backend.
#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "stages/parity.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;
using Border = std::optional<std::uint8_t>;

constexpr Homography kIdentity{1, 0, 0, 0, 1, 0, 0, 0, 1};
constexpr Homography kMild{0.93, 0.11, 4.2, -0.07, 1.04, 1.7, 4e-4, -3e-4, 1.01};
constexpr Homography kStrong{1.9, 0.4, -30.3, -0.6, 2.2, 5.9, 6e-3, 4e-3, 0.7};

// Bilinear resampling in double, without quantised positions.
double LinearByLoops(const Plane& source, int channel, double u, double v, Border border) {
  const int channels = BytesPerPixel(source.type());
  const auto at = [&](double x, double y) -> double {
    const double inner_x = std::clamp(x, 0.0, source.width() - 1.0);
    const double inner_y = std::clamp(y, 0.0, source.height() - 1.0);
    if (border && (inner_x != x || inner_y != y)) return *border;
    return source.Row<std::uint8_t>(
        static_cast<int>(inner_y))[static_cast<int>(inner_x) * channels + channel];
  };
  const double x = std::floor(u);
  const double y = std::floor(v);
  const double fx = u - x;
  const double fy = v - y;
  return (1 - fy) * ((1 - fx) * at(x, y) + fx * at(x + 1, y)) +
         fy * ((1 - fx) * at(x, y + 1) + fx * at(x + 1, y + 1));
}

void ExpectLinear(const Plane& output, const Plane& source, const Homography& h, Border border) {
  // A position is off by at most 1/2048 px, a step in noise at most 255, in each direction.
  constexpr double kTolerance = 0.5 + 2 * 255.0 / 2048;
  const int channels = BytesPerPixel(source.type());
  double worst = 0;
  for (int y = 0; y < output.height(); ++y) {
    for (int x = 0; x < output.width(); ++x) {
      const double w = h[6] * x + h[7] * y + h[8];
      const double u = (h[0] * x + h[1] * y + h[2]) / w;
      const double v = (h[3] * x + h[4] * y + h[5]) / w;
      for (int c = 0; c < channels; ++c) {
        const double expected = LinearByLoops(source, c, u, v, border);
        worst = std::max(worst, std::abs(expected - output.Row<std::uint8_t>(y)[x * channels + c]));
      }
    }
  }
  EXPECT_LE(worst, kTolerance);
}

absl::StatusOr<Plane> Warp(Backend& backend, const Plane& source, const Homography& h, Size size,
                           Interpolation interpolation, Border border) {
  auto stage = backend.MakeWarp();
  if (!stage.ok()) return stage.status();
  const auto uploaded = backend.Upload(source);
  if (!uploaded.ok()) return uploaded.status();
  const auto output = (*stage)->Run(*uploaded, h, size, interpolation, border);
  if (!output.ok()) return output.status();
  return backend.Download(*output);
}

TEST_P(Parity, WarpByWholePixelsIsExact) {
  const Plane source = Drawn({"#....",  //
                              ".....",  //
                              "..##.",  //
                              ".....",  //
                              "....#"});
  const Homography shift{1, 0, 2, 0, 1, -1, 0, 0, 1};
  for (const auto interpolation : {Interpolation::kNearest, Interpolation::kLinear}) {
    EXPECT_TRUE(SameBytes(*Warp(backend(), source, kIdentity, {5, 5}, interpolation, 0), source));
    EXPECT_TRUE(SameBytes(*Warp(backend(), source, shift, {5, 5}, interpolation, 0),
                          Drawn({".....",  //
                                 ".....",  //
                                 ".....",  //
                                 "##...",  //
                                 "....."})));
    EXPECT_TRUE(SameBytes(*Warp(backend(), source, shift, {4, 6}, interpolation, 255),
                          Drawn({"####",  //
                                 "...#",  //
                                 "...#",  //
                                 "##.#",  //
                                 "...#",  //
                                 "..##"})));
    EXPECT_TRUE(SameBytes(*Warp(backend(), source, shift, {4, 6}, interpolation, std::nullopt),
                          Drawn({"....",  //
                                 "....",  //
                                 "....",  //
                                 "##..",  //
                                 "....",  //
                                 "..##"})));
  }
}

TEST_P(Parity, WarpMixesNeighboursByTheirShare) {
  const Plane source = Drawn({".#", "##"});
  const auto value = [&](double x, double y) {
    const Homography h{1, 0, x, 0, 1, y, 0, 0, 1};
    return int{
        Warp(backend(), source, h, {1, 1}, Interpolation::kLinear, 0)->Row<std::uint8_t>(0)[0]};
  };
  EXPECT_EQ(value(0.5, 0), 128);    // 127.5, halves up
  EXPECT_EQ(value(0.25, 0), 64);    // 63.75
  EXPECT_EQ(value(0.5, 0.5), 191);  // 191.25
  EXPECT_EQ(value(1.5, 1), 128);    // half of it lies outside
  EXPECT_EQ(value(-0.75, 1), 64);
}

/// A displacement whose nodes differ much from their neighbours.
Displacement Bent(Size picture) {
  const Size nodes = Displacement::NodesFor(picture);
  Displacement bent{.x = Plane::Host(nodes, PixelType::kS16),
                    .y = Plane::Host(nodes, PixelType::kS16)};
  for (int y = 0; y < nodes.height; ++y) {
    for (int x = 0; x < nodes.width; ++x) {
      bent.x.Row<std::int16_t>(y)[x] = static_cast<std::int16_t>((x * 367 + y * 113) % 1025 - 512);
      bent.y.Row<std::int16_t>(y)[x] = static_cast<std::int16_t>((x * 211 + y * 449) % 1025 - 512);
    }
  }
  return bent;
}

absl::StatusOr<Plane> SheetWarp(Backend& backend, const Plane& source, const Homography& h,
                                const Displacement& displacement, Size size) {
  auto stage = backend.MakeSheetWarp();
  if (!stage.ok()) return stage.status();
  const auto uploaded = backend.Upload(source);
  if (!uploaded.ok()) return uploaded.status();
  const auto output = (*stage)->Run(*uploaded, h, displacement, size);
  if (!output.ok()) return output.status();
  return backend.Download(*output);
}

TEST_P(Parity, SheetWarpEqualsLoopsInDouble) {
  std::uint32_t seed = 900;
  for (const Size size : TrickySizes()) {
    const Plane source = Texture(size, ++seed);
    const Displacement bent = Bent(size);
    const auto output = SheetWarp(backend(), source, kMild, bent, size);
    ASSERT_THAT(output, IsOk());
    double worst = 0;
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const auto between = [&](const Plane& nodes) {
          const double fx = x % 8 / 8.0, fy = y % 8 / 8.0;
          const auto* top = nodes.Row<std::int16_t>(y / 8) + x / 8;
          const auto* bottom = nodes.Row<std::int16_t>(y / 8 + 1) + x / 8;
          return ((1 - fy) * ((1 - fx) * top[0] + fx * top[1]) +
                  fy * ((1 - fx) * bottom[0] + fx * bottom[1])) /
                 256;
        };
        const double px = x + between(bent.x), py = y + between(bent.y);
        const double w = kMild[6] * px + kMild[7] * py + kMild[8];
        const double u = (kMild[0] * px + kMild[1] * py + kMild[2]) / w;
        const double v = (kMild[3] * px + kMild[4] * py + kMild[5]) / w;
        const double expected = LinearByLoops(source, 0, u, v, std::nullopt);
        worst = std::max(worst, std::abs(expected - output->Row<std::uint8_t>(y)[x]));
      }
    }
    EXPECT_LE(worst, 0.5 + 2 * 255.0 / 2048) << size.width << "x" << size.height;
  }
}

TEST_P(Parity, SheetWarpByNothingIsAWarp) {
  const Size size{61, 47};
  const Plane source = Texture(size, 5);
  Displacement nothing{.x = Plane::Host(Displacement::NodesFor(size), PixelType::kS16),
                       .y = Plane::Host(Displacement::NodesFor(size), PixelType::kS16)};
  AsMat(nothing.x).setTo(0);
  AsMat(nothing.y).setTo(0);
  EXPECT_TRUE(SameBytes(*SheetWarp(backend(), source, kStrong, nothing, size),
                        *Warp(backend(), source, kStrong, size, Interpolation::kLinear, {})));
}

TEST_P(Parity, SheetWarpRefusesADisplacementOfAnotherPicture) {
  const Plane source = Texture({40, 30}, 5);
  EXPECT_THAT(SheetWarp(backend(), source, kIdentity, Bent({40, 33}), {40, 30}).status().message(),
              HasSubstr("has 6x5"));
}

TEST_P(Parity, WarpEqualsLoopsInDouble) {
  std::uint32_t seed = 400;
  for (const Size size : TrickySizes()) {
    const Plane grey = NoisePlane(size, ++seed);
    const Plane colour = ColourNoise(size, seed);
    SCOPED_TRACE(ToString(size) + ", seed " + std::to_string(seed));
    for (const Homography& h : {kMild, kStrong}) {
      for (const Border border : {Border(), Border(77)}) {
        for (const Plane& source : {grey, colour}) {
          const auto output = Warp(backend(), source, h, {61, 37}, Interpolation::kLinear, border);
          ASSERT_THAT(output, IsOk());
          ASSERT_EQ(output->type(), source.type());
          ASSERT_EQ(output->size(), (Size{61, 37}));
          ExpectLinear(*output, source, h, border);
        }
      }
    }
  }
}

TEST_P(Parity, WarpIsCloseToOpenCvs) {
  const Plane source = Texture({200, 150}, 500);
  const cv::Mat h = (cv::Mat_<double>(3, 3) << kMild[0], kMild[1], kMild[2], kMild[3], kMild[4],
                     kMild[5], kMild[6], kMild[7], kMild[8]);
  for (const Border border : {Border(), Border(128)}) {
    const auto output = Warp(backend(), source, kMild, {180, 140}, Interpolation::kLinear, border);
    ASSERT_THAT(output, IsOk());
    cv::Mat expected;
    cv::warpPerspective(AsMat(source), expected, h, {180, 140},
                        cv::INTER_LINEAR | cv::WARP_INVERSE_MAP,
                        border ? cv::BORDER_CONSTANT : cv::BORDER_REPLICATE, border.value_or(0));
    // OpenCV rounds positions to 1/32 px.
    EXPECT_LE(cv::norm(AsMat(*output), expected, cv::NORM_INF), 2);
  }
}

TEST_P(Parity, WarpToTheNearestCopiesTheNearest) {
  const Plane source = ColourNoise({40, 30}, 600);
  const auto output = Warp(backend(), source, kStrong, {61, 37}, Interpolation::kNearest, 9);
  ASSERT_THAT(output, IsOk());
  const Homography& h = kStrong;
  for (int y = 0; y < 37; ++y) {
    for (int x = 0; x < 61; ++x) {
      const double w = h[6] * x + h[7] * y + h[8];
      const double u = (h[0] * x + h[1] * y + h[2]) / w + 0.5;
      const double v = (h[3] * x + h[4] * y + h[5]) / w + 0.5;
      const double off_grid = std::min(std::abs(u - std::round(u)), std::abs(v - std::round(v)));
      if (off_grid < 1.0 / 1024) continue;  // either neighbour is right
      const bool inside = u >= 0 && v >= 0 && u < 40 && v < 30;
      for (int c = 0; c < 3; ++c) {
        const int expected =
            inside ? source.Row<std::uint8_t>(static_cast<int>(v))[3 * static_cast<int>(u) + c] : 9;
        ASSERT_EQ(int{output->Row<std::uint8_t>(y)[3 * x + c]}, expected) << x << ", " << y;
      }
    }
  }
}

TEST_P(Parity, WarpDoesNotDependOnTheSignOrScaleOfTheHomography) {
  const Plane source = NoisePlane({50, 40}, 700);
  const auto output = Warp(backend(), source, kMild, {60, 50}, Interpolation::kLinear, 0);
  ASSERT_THAT(output, IsOk());
  for (const double factor : {-1.0, 4.0, -0.125}) {
    Homography scaled = kMild;
    for (double& value : scaled) value *= factor;
    const auto same = Warp(backend(), source, scaled, {60, 50}, Interpolation::kLinear, 0);
    ASSERT_THAT(same, IsOk());
    EXPECT_TRUE(SameBytes(*same, *output)) << factor;
  }
}

TEST_P(Parity, WarpShowsTheBorderBehindTheCamera) {
  // w = 1 - x / 20: the columns from 20 on lie behind the camera.
  const Plane source = Drawn({"####", "####", "####", "####"});
  const Homography h{1, 0, 0, 0, 1, 0, -0.05, 0, 1};
  const auto output = Warp(backend(), source, h, {31, 3}, Interpolation::kNearest, 0);
  ASSERT_THAT(output, IsOk());
  for (int y = 0; y < 3; ++y) {
    EXPECT_EQ(output->Row<std::uint8_t>(y)[0], 255);
    for (int x = 20; x < 31; ++x) EXPECT_EQ(int{output->Row<std::uint8_t>(y)[x]}, 0) << x;
  }
}

TEST_P(Parity, WarpSurvivesAbsurdHomographies) {
  constexpr double kHuge = 1e308;
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Homography absurd[] = {
      {},                                                     // nothing anywhere
      {kHuge, kHuge, kHuge, -kHuge, kHuge, -kHuge, 0, 0, 1},  // sums overflow
      {kHuge, -kHuge, 0, kHuge, -kHuge, 0, tiny, tiny, tiny},
      {1, 0, 0, 0, 1, 0, 1, 1, -40},  // the horizon crosses the picture
      {0, 0, tiny, 0, 0, -tiny, 0, 0, tiny},
      {1, 0, 1e9, 0, 1, -1e9, 0, 0, 1},
  };
  const Plane source = NoisePlane({9, 7}, 800);
  for (const Homography& h : absurd) {
    for (const auto interpolation : {Interpolation::kNearest, Interpolation::kLinear}) {
      for (const Border border : {Border(), Border(1)}) {
        EXPECT_THAT(Warp(backend(), source, h, {64, 48}, interpolation, border), IsOk());
      }
    }
  }
  const auto far = Warp(backend(), source, absurd[5], {8, 8}, Interpolation::kLinear, Border());
  ASSERT_THAT(far, IsOk());
  EXPECT_EQ(far->Row<std::uint8_t>(0)[0], source.Row<std::uint8_t>(0)[8]) << "the nearest corner";
}

TEST_P(Parity, WarpRefusesWhatCannotBeMapped) {
  const Plane source = NoisePlane({8, 8}, 1);
  const auto linear = Interpolation::kLinear;
  EXPECT_THAT(Warp(backend(), source, kIdentity, {0, 5}, linear, 0),
              FailsWith(Reason::kInternal, HasSubstr("0x5")));
  Homography broken = kIdentity;
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    broken[4] = value;
    EXPECT_THAT(Warp(backend(), source, broken, {5, 5}, linear, 0),
                FailsWith(Reason::kInternal, HasSubstr("not finite")));
  }
}

}  // namespace
}  // namespace glint
