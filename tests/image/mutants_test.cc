// SPDX-License-Identifier: Apache-2.0
// Pictures with changed bytes, by the checks of tests/fuzz/image_fuzzer.cc, which abort.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "image/jpeg.h"
#include "image/png.h"
#include "support/run_mutants.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

/// A file behind the byte that says which decoder reads it.
std::string Input(char decoder, const std::vector<std::byte>& file) {
  std::string input = {decoder};
  for (const std::byte byte : file) input.push_back(std::to_integer<char>(byte));
  return input;
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
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
    for (const char decoder : {0, 1}) seeds.push_back(Input(decoder, *png));
    if (type == PixelType::kS32) continue;
    const auto jpeg = EncodeJpeg(plane);
    EXPECT_THAT(jpeg, IsOk());
    seeds.push_back(Input(2, *jpeg));
  }
  return seeds;
}

TEST(Images, WithChangedBytesPassTheChecksOfTheirFuzzer) { RunMutants(Seeds(), 6'000); }

}  // namespace
}  // namespace glint
