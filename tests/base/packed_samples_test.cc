// SPDX-License-Identifier: Apache-2.0
#include "base/packed_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

namespace glint {
namespace {

/// Samples with bytes between the rows that are none.
struct Samples {
  Size size;
  int sample_bytes;
  std::ptrdiff_t stride;
  std::vector<std::uint8_t> bytes;

  Samples(Size of, int each)
      : size(of),
        sample_bytes(each),
        stride(std::ptrdiff_t{of.width} * each + 6),
        bytes(static_cast<std::size_t>(stride * of.height), 0xA5) {}

  std::uint8_t* Row(int y) { return bytes.data() + y * stride; }
  SampleRows Rows() { return {Row(0), stride, size, sample_bytes}; }
  std::size_t RowBytes() const {
    return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(sample_bytes);
  }
};

std::vector<std::uint8_t> Unpacked(std::span<const std::uint8_t> packed, const Samples& samples) {
  std::vector<std::uint8_t> again(UnpackedBytes(samples.size, samples.sample_bytes));
  UnpackSamples(packed, samples.size, samples.sample_bytes, again.data(),
                UnpackedStride(samples.size, samples.sample_bytes));
  return again;
}

void ExpectTheSameAgain(std::span<const std::uint8_t> packed, Samples& samples) {
  const std::vector<std::uint8_t> again = Unpacked(packed, samples);
  const std::ptrdiff_t stride = UnpackedStride(samples.size, samples.sample_bytes);
  for (int y = 0; y < samples.size.height; ++y) {
    ASSERT_EQ(std::memcmp(again.data() + y * stride, samples.Row(y), samples.RowBytes()), 0)
        << "row " << y;
  }
}

class Packed : public testing::TestWithParam<int> {};

TEST_P(Packed, NoiseOfAnyStrengthAndSizeComesBack) {
  std::mt19937 random(7);
  for (int bits = 0; bits <= 8 * GetParam(); ++bits) {
    for (const Size size : {Size{1, 1}, {7, 9}, {16, 8}, {31, 33}, {65, 16}, {128, 40}}) {
      Samples samples(size, GetParam());
      for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
          const auto value = static_cast<std::uint16_t>(random() & ((1U << bits) - 1));
          std::memcpy(samples.Row(y) + static_cast<std::ptrdiff_t>(x) * GetParam(), &value,
                      static_cast<std::size_t>(GetParam()));
        }
      }
      SCOPED_TRACE(testing::Message() << bits << " bits, " << ToString(size));
      const auto packed = PackSamples(samples.Rows());
      ExpectTheSameAgain(packed, samples);
    }
  }
}

TEST_P(Packed, SlopesThatChangeTakeWhatTheirNoiseTakes) {
  std::mt19937 random(11);
  for (const Size size : {Size{1, 1}, {7, 9}, {16, 8}, {31, 33}, {65, 16}, {256, 256}}) {
    Samples samples(size, GetParam());
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const auto value = static_cast<std::uint16_t>(static_cast<unsigned>(x * y) + random() % 2);
        std::memcpy(samples.Row(y) + static_cast<std::ptrdiff_t>(x) * GetParam(), &value,
                    static_cast<std::size_t>(GetParam()));
      }
    }
    SCOPED_TRACE(ToString(size));
    const auto packed = PackSamples(samples.Rows());
    ExpectTheSameAgain(packed, samples);
    if (size.width < 256) continue;
    // From one row to the next a sample changes by up to 256: by 8 bits.
    EXPECT_LT(packed.size(), std::size_t{256} * 256 * 7 / 16);
  }
}

TEST_P(Packed, RowsMayRunBackwards) {
  Samples samples({40, 20}, GetParam());
  for (int y = 0; y < 20; ++y) {
    std::fill_n(samples.Row(y), samples.RowBytes(), static_cast<std::uint8_t>(3 * y));
  }
  SampleRows rows = samples.Rows();
  rows.first = samples.Row(19);
  rows.stride = -samples.stride;
  const std::vector<std::uint8_t> again = Unpacked(PackSamples(rows), samples);
  const std::ptrdiff_t stride = UnpackedStride(samples.size, GetParam());
  for (int y = 0; y < 20; ++y) {
    EXPECT_EQ(std::memcmp(again.data() + y * stride, samples.Row(19 - y), samples.RowBytes()), 0);
  }
}

TEST_P(Packed, PicturesTakeLessAndNoiseHardlyMore) {
  Samples flat({640, 480}, GetParam()), noise({640, 480}, GetParam());
  std::fill(flat.bytes.begin(), flat.bytes.end(), 77);
  std::mt19937 random(3);
  std::generate(noise.bytes.begin(), noise.bytes.end(),
                [&] { return static_cast<std::uint8_t>(random()); });
  const std::size_t samples = std::size_t{640} * 480 * static_cast<std::size_t>(GetParam());
  EXPECT_LT(PackSamples(flat.Rows()).size(), samples / 20);
  EXPECT_LE(PackSamples(noise.Rows()).size(), samples + samples / 128);

  Samples print({640, 480}, 1);  // waves, and noise of 1 to either side
  for (int y = 0; y < 480; ++y) {
    for (int x = 0; x < 640; ++x) {
      print.Row(y)[x] = static_cast<std::uint8_t>(
          128 + std::lround(40 * std::sin(x * 0.05) * std::sin(y * 0.05)) + random() % 3 - 1);
    }
  }
  EXPECT_LT(PackSamples(print.Rows()).size(), std::size_t{640} * 480 * 9 / 16);
}

INSTANTIATE_TEST_SUITE_P(SampleBytes, Packed, testing::Values(1, 2));

}  // namespace
}  // namespace glint
