// SPDX-License-Identifier: Apache-2.0
#include "stages/cpu/warp_sampler.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <random>
#include <vector>

namespace glint {
namespace {

/// A source in memory that ends with its last pixel.
template <int channels>
struct Source {
  explicit Source(Size size)
      : plane(Plane::Host(size, channels == 1 ? PixelType::kU8 : PixelType::kU8x3)) {
    std::mt19937 random(3);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width * channels; ++x) {
        plane.template Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(random());
      }
    }
  }
  Plane plane;
};

/// Places inside, across the border and outside of it.
WarpPlaces PlacesAround(Size source, int width) {
  std::mt19937 random(5);
  WarpPlaces places(width);
  const auto any = [&](int side) {
    return static_cast<std::int32_t>(random() % ((static_cast<unsigned>(side) + 3) * 1024U)) - 2048;
  };
  for (std::size_t i = 0; i < places.x.size(); ++i) {
    // Long runs inside, as pictures have them, and single places anywhere.
    const bool inside = i % 64 < 48;
    places.x[i] = inside ? static_cast<std::int32_t>(i % 48) * 700 : any(source.width);
    places.y[i] = inside ? static_cast<std::int32_t>(i % 48) * 300 : any(source.height);
  }
  return places;
}

template <int channels>
void ExpectPixelByPixel(Size size, std::optional<std::uint8_t> border) {
  const Source<channels> source(size);
  const Sampler<channels> sampler(source.plane, border);
  for (const int width : {1, 7, 16, 1003}) {
    const WarpPlaces places = PlacesAround(size, width);
    std::vector<std::uint8_t> expected(places.x.size() * channels), row(expected.size());
    for (std::size_t i = 0; i < places.x.size(); ++i) {
      sampler.Linear({places.x[i], places.y[i]}, &expected[i * channels]);
    }
    LinearRow(sampler, places, row.data());
    EXPECT_EQ(row, expected) << channels << " channels, " << width << " pixels";
  }
}

TEST(WarpSampler, ARowIsItsPixelsOneByOneWithEveryInstructionSet) {
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    for (const Size size : {Size{40, 24}, Size{3, 2}, Size{1, 1}, Size{57, 19}}) {
      ExpectPixelByPixel<1>(size, std::nullopt);
      ExpectPixelByPixel<1>(size, std::uint8_t{9});
      ExpectPixelByPixel<3>(size, std::nullopt);
      ExpectPixelByPixel<3>(size, std::uint8_t{9});
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace
}  // namespace glint
