// SPDX-License-Identifier: Apache-2.0
#include "image/jpeg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

/// Slow shades, which JPEG keeps within a few grey values.
Plane Shades(Size size, PixelType type) {
  Plane plane = Plane::Host(size, type);
  const int channels = BytesPerPixel(type);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width * channels; ++x) {
      plane.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(40 + y + x / channels + x % 3);
    }
  }
  return plane;
}

int LargestDifference(const Plane& a, const Plane& b) {
  int largest = 0;
  for (int y = 0; y < a.height(); ++y) {
    for (int x = 0; x < a.width() * BytesPerPixel(a.type()); ++x) {
      largest = std::max(largest, std::abs(a.Row<std::uint8_t>(y)[x] - b.Row<std::uint8_t>(y)[x]));
    }
  }
  return largest;
}

TEST(Jpeg, GivesBackNearlyWhatWasWritten) {
  for (const PixelType type : {PixelType::kU8, PixelType::kU8x3}) {
    for (const Size size : {Size{1, 1}, Size{17, 9}, Size{64, 100}}) {
      const Plane plane = Shades(size, type);
      SCOPED_TRACE(Describe(plane));
      const auto file = EncodeJpeg(plane);
      ASSERT_THAT(file, IsOk());
      const auto read = DecodeJpeg(*file);
      ASSERT_THAT(read, IsOk());
      ASSERT_EQ(read->size(), size);
      ASSERT_EQ(read->type(), type);
      EXPECT_LE(LargestDifference(*read, plane), 6);
    }
  }
}

TEST(Jpeg, IsSmallerAtLowerQuality) {
  const Plane plane = NoisePlane({100, 80}, 4);
  EXPECT_LT(EncodeJpeg(plane, 50)->size(), EncodeJpeg(plane, 90)->size());
}

TEST(Jpeg, RefusesTruncatedAndForeignFiles) {
  const auto file = EncodeJpeg(NoisePlane({40, 30}, 2));
  ASSERT_THAT(file, IsOk());
  for (std::size_t bytes = 0; bytes + 2 < file->size(); bytes += 13) {
    EXPECT_THAT(DecodeJpeg({file->data(), bytes}),
                FailsWith(Reason::kInputUnreadable, HasSubstr("JPEG")))
        << bytes;
  }
  EXPECT_THAT(DecodeJpeg(*EncodePng(NoisePlane({4, 4}, 2))),
              FailsWith(Reason::kInputUnreadable, HasSubstr("JPEG")));
}

TEST(Jpeg, NeverCrashesOnDamage) {
  auto file = EncodeJpeg(Shades({40, 30}, PixelType::kU8x3));
  ASSERT_THAT(file, IsOk());
  int refused = 0;
  for (auto& byte : *file) {
    byte ^= std::byte{0x41};
    refused += !DecodeJpeg(*file, 10'000).ok();
    byte ^= std::byte{0x41};
  }
  EXPECT_GT(refused, 20);  // markers and lengths; most changed pixels cannot be noticed
}

TEST(Jpeg, RefusesMorePixelsThanAllowed) {
  const auto file = EncodeJpeg(NoisePlane({20, 10}, 1));
  EXPECT_THAT(DecodeJpeg(*file, 200), IsOk());
  EXPECT_THAT(DecodeJpeg(*file, 199), FailsWith(Reason::kLimitExceeded, HasSubstr("20x10")));
}

TEST(Jpeg, RefusesPlanesThatItCannotWrite) {
  EXPECT_THAT(EncodeJpeg(Plane()), FailsWith(Reason::kInternal, HasSubstr("empty")));
  EXPECT_THAT(EncodeJpeg(Plane::Host({2, 2}, PixelType::kS32)),
              FailsWith(Reason::kInternal, HasSubstr("s32")));
  EXPECT_THAT(EncodeJpeg(NoisePlane({2, 2}, 1), 0),
              FailsWith(Reason::kInternal, HasSubstr("quality 0")));
}

}  // namespace
}  // namespace glint
