// SPDX-License-Identifier: Apache-2.0
// Pictures with changed bytes, by the checks of tests/fuzz/image_fuzzer.cc, which abort.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "image/jpeg.h"
#include "image/png.h"
#include "support/status_matchers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace glint {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// A file behind the byte that says which decoder reads it.
Bytes Input(std::uint8_t decoder, const std::vector<std::byte>& file) {
  Bytes input = {decoder};
  for (const std::byte byte : file) input.push_back(std::to_integer<std::uint8_t>(byte));
  return input;
}

std::vector<Bytes> Seeds() {
  std::vector<Bytes> seeds;
  for (const PixelType type : {PixelType::kU8, PixelType::kU8x3, PixelType::kS32}) {
    Plane plane = Plane::Host({24, 16}, type);
    for (int y = 0; y < plane.height(); ++y) {
      for (int x = 0; x < plane.width(); ++x) {
        if (type == PixelType::kS32) {
          plane.Row<std::int32_t>(y)[x] = 900 * y + x;
        } else {
          plane.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(9 * y + 5 * x);
        }
      }
    }
    const auto png = EncodePng(plane);
    EXPECT_THAT(png, IsOk());
    for (const std::uint8_t decoder : {0, 1}) seeds.push_back(Input(decoder, *png));
    if (type == PixelType::kS32) continue;
    const auto jpeg = EncodeJpeg(plane);
    EXPECT_THAT(jpeg, IsOk());
    seeds.push_back(Input(2, *jpeg));
  }
  return seeds;
}

TEST(Images, WithChangedBytesPassTheChecksOfTheirFuzzer) {
  const std::vector<Bytes> seeds = Seeds();
  std::mt19937 random(5);
  for (int round = 0; round < 6'000; ++round) {
    Bytes input = seeds[random() % seeds.size()];
    if (random() % 4 == 0) input.resize(random() % input.size() + 1);
    for (unsigned changes = random() % 8; changes > 0; --changes) {
      input[random() % input.size()] = static_cast<std::uint8_t>(random());
    }
    ASSERT_EQ(LLVMFuzzerTestOneInput(input.data(), input.size()), 0);
  }
}

}  // namespace
}  // namespace glint
