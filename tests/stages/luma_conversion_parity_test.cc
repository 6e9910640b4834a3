// SPDX-License-Identifier: Apache-2.0
// Luma conversion of every backend, against the rule in floating point.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "stages/parity.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

/// How decoders store luma.
struct StoredAs {
  const char* name;
  int depth;
  int shift;
};
constexpr StoredAs kLayouts[] = {{"NV12 and 8 bit planar", 8, 0}, {"P010", 10, 6},
                                 {"9 bit planar", 9, 0},          {"10 bit planar", 10, 0},
                                 {"12 bit planar", 12, 0},        {"P012", 12, 4},
                                 {"14 bit planar", 14, 0},        {"P016", 16, 0}};

std::uint8_t Expected(int sample, int depth, bool full_range) {
  const double unit = std::ldexp(1.0, depth - 8);
  const double value = full_range ? sample * 255 / (std::ldexp(1.0, depth) - 1)
                                  : (sample - 16 * unit) * 255 / (219 * unit);
  return static_cast<std::uint8_t>(std::floor(std::clamp(value, 0.0, 255.0) + 0.5));
}

/// A plane whose rows lie further apart than they are long.
Plane Pitched(Size size, PixelType type, std::ptrdiff_t beyond) {
  const std::ptrdiff_t stride =
      std::ptrdiff_t{size.width} * BytesPerPixel(type) + beyond * BytesPerPixel(type);
  const auto bytes = static_cast<std::size_t>(stride) * static_cast<std::size_t>(size.height);
  // Made of 16-bit numbers, so that those of a plane lie where they may.
  auto memory = std::make_shared<std::vector<std::uint16_t>>(bytes / 2 + 1, 0xA5A5);
  auto* first = reinterpret_cast<std::byte*>(memory->data());
  return {std::move(memory), first, size, type, stride, {}};
}

struct Picture {
  Plane stored;
  Plane expected;
};

/// Samples of noise; of large planes, every value there is.
Picture MakePicture(Size size, const StoredAs& as, bool full_range, std::uint32_t seed,
                    std::ptrdiff_t beyond) {
  const bool wide = as.depth > 8;
  Picture picture{Pitched(size, wide ? PixelType::kS16 : PixelType::kU8, beyond),
                  Plane::Host(size, PixelType::kU8)};
  const Plane noise = NoisePlane({size.width * 2, size.height}, seed);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const auto* bytes = noise.Row<std::uint8_t>(y) + std::ptrdiff_t{2} * x;
      const int drawn = bytes[0] + 256 * bytes[1];
      const std::int64_t place = std::int64_t{y} * size.width + x;
      const bool every = size.area() >= 65'536;
      const int sample = (every ? static_cast<int>(place) : drawn) & ((1 << as.depth) - 1);
      // Bits that mean nothing may hold anything.
      const int unused = drawn >> 3;
      const int stored = (sample << as.shift) | (unused & ((1 << as.shift) - 1));
      if (wide) {
        picture.stored.Row<std::uint16_t>(y)[x] = static_cast<std::uint16_t>(stored);
      } else {
        picture.stored.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(stored);
      }
      picture.expected.Row<std::uint8_t>(y)[x] = Expected(sample, as.depth, full_range);
    }
  }
  return picture;
}

TEST_P(Parity, LumaOfEveryLayoutRangeSizeAndPitch) {
  const auto stage = *backend().MakeLumaConversion();
  std::uint32_t seed = 700;
  for (const StoredAs& as : kLayouts) {
    for (const bool full_range : {false, true}) {
      SCOPED_TRACE(std::string(as.name) + (full_range ? ", full range" : ", limited range"));
      std::vector<Plane> stored, expected;  // more than one launch takes, of different sizes
      for (const Size size : TrickySizes()) {
        for (const std::ptrdiff_t beyond : {0, 1, 37}) {
          const Picture picture = MakePicture(size, as, full_range, ++seed, beyond);
          stored.push_back(Upload(picture.stored));
          expected.push_back(picture.expected);
        }
      }
      const auto luma = stage->Run(stored, {as.depth, as.shift, full_range});
      ASSERT_THAT(luma, IsOk());
      ASSERT_EQ(luma->size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ((*luma)[i].device(), backend().device());
        ASSERT_TRUE(SameBytes(Download((*luma)[i]), expected[i])) << Describe(expected[i]);
      }
    }
  }
}

TEST_P(Parity, LumaOfEverySampleThereIs) {
  const auto stage = *backend().MakeLumaConversion();
  for (const StoredAs& as : kLayouts) {
    for (const bool full_range : {false, true}) {
      SCOPED_TRACE(std::string(as.name) + (full_range ? ", full range" : ", limited range"));
      const Picture picture = MakePicture({256, 256}, as, full_range, 5, 0);
      const Plane stored = Upload(picture.stored);
      const auto luma = stage->Run({&stored, 1}, {as.depth, as.shift, full_range});
      ASSERT_THAT(luma, IsOk());
      EXPECT_TRUE(SameBytes(Download(luma->front()), picture.expected));
    }
  }
}

TEST_P(Parity, LumaOfNoPictureIsNone) {
  const auto luma = (*backend().MakeLumaConversion())->Run({}, {});
  ASSERT_THAT(luma, IsOk());
  EXPECT_TRUE(luma->empty());
}

TEST_P(Parity, LumaConversionRefusesWhatDoesNotFitTogether) {
  const auto stage = *backend().MakeLumaConversion();
  const Plane bytes = Upload(NoisePlane({4, 4}, 1));
  const Plane words = Upload(Plane::Host({4, 4}, PixelType::kS16));
  const auto run = [&](const Plane& plane, const LumaFormat& format) {
    return stage->Run({&plane, 1}, format).status();
  };
  EXPECT_THAT(run(bytes, {.depth = 10}), FailsWith(Reason::kInternal, HasSubstr("4x4 u8")));
  EXPECT_THAT(run(words, {.depth = 8}), FailsWith(Reason::kInternal, HasSubstr("4x4 s16")));
  EXPECT_THAT(run(Plane(), {}), FailsWith(Reason::kInternal, HasSubstr("an empty plane")));
  for (const LumaFormat& format :
       {LumaFormat{.depth = 7}, LumaFormat{.depth = 17}, LumaFormat{.depth = 8, .shift = 1},
        LumaFormat{.depth = 12, .shift = 5}, LumaFormat{.depth = 10, .shift = -1}}) {
    EXPECT_THAT(run(words, format), FailsWith(Reason::kInternal, HasSubstr("unused")))
        << format.depth << " bits, " << format.shift;
  }
  const Plane odd(nullptr, words.data(), {1, 2}, PixelType::kS16, 3, words.device());
  EXPECT_THAT(run(odd, {.depth = 10}), FailsWith(Reason::kInternal, HasSubstr("3 bytes")));
}

}  // namespace
}  // namespace glint
