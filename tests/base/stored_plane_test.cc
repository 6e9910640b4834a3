// SPDX-License-Identifier: Apache-2.0
#include "glint/stored_plane.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "base/stored_rows.h"

namespace glint {
namespace {

template <class T>
Plane Waves(Size size, PixelType type) {
  Plane plane = Plane::Host(size, type);
  const int samples = size.width * BytesPerPixel(type) / static_cast<int>(sizeof(T));
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < samples; ++x) {
      plane.Row<T>(y)[x] = static_cast<T>((x * 7 + y * 13) % 61 - (x * y) % 29);
    }
  }
  return plane;
}

/// Whether a part shows what lies at (x, y) of the plane.
bool Shows(const Plane& part, const Plane& plane, int x, int y) {
  const std::ptrdiff_t bytes = BytesPerPixel(plane.type());
  for (int row = 0; row < part.height(); ++row) {
    const auto* expected = plane.Row<std::uint8_t>(y + row) + x * bytes;
    const auto width = static_cast<std::size_t>(part.width() * bytes);
    if (std::memcmp(part.Row<std::uint8_t>(row), expected, width) != 0) return false;
  }
  return part.type() == plane.type();
}

TEST(StoredPlaneTest, AnyPartComesBack) {
  for (const Size size : {Size{1, 1}, {127, 63}, {128, 64}, {129, 65}, {300, 200}}) {
    for (const PixelType type : {PixelType::kU8, PixelType::kU8x3, PixelType::kS16}) {
      const Plane plane = type == PixelType::kS16 ? Waves<std::int16_t>(size, type)
                                                  : Waves<std::uint8_t>(size, type);
      const StoredPlane stored(plane);
      SCOPED_TRACE(Describe(plane));
      EXPECT_EQ(stored.size(), size);
      EXPECT_EQ(stored.type(), type);
      EXPECT_TRUE(stored.device().is_host());
      EXPECT_EQ(stored.Whole().size(), size);
      EXPECT_TRUE(Shows(stored.Whole(), plane, 0, 0));
      for (const int x : {0, size.width / 3, size.width - 1}) {
        for (const int y : {0, size.height / 2, size.height - 1}) {
          const Size rest{size.width - x, size.height - y};
          const Plane part = stored.Part(x, y, rest);
          EXPECT_EQ(part.size(), rest);
          EXPECT_TRUE(Shows(part, plane, x, y)) << x << ", " << y;
          EXPECT_TRUE(Shows(stored.Part(x, y, {1, 1}), plane, x, y)) << x << ", " << y;
        }
      }
    }
  }
}

TEST(StoredPlaneTest, IsNothingUntilSomethingIsStored) {
  EXPECT_TRUE(StoredPlane().empty());
  EXPECT_FALSE(StoredPlane(Waves<std::uint8_t>({3, 2}, PixelType::kU8)).empty());
}

TEST(StoredPlaneTest, StaysOnItsDevice) {
  std::byte pixel{};
  const Plane on_device(nullptr, &pixel, {20, 30}, PixelType::kS16, 64, Device{.cuda = 1});
  const StoredPlane stored(on_device);
  EXPECT_EQ(stored.on_device().data(), &pixel);
  EXPECT_EQ(stored.device(), Device{.cuda = 1});
  EXPECT_EQ(stored.size(), (Size{20, 30}));
}

TEST(StoredPlaneTest, RowsOfManyAreThoseOfEach) {
  ThreadPool pool(3);
  std::vector<Plane> planes;
  std::vector<StoredPlane> stored;
  for (int i = 0; i < 5; ++i) {
    planes.push_back(Waves<std::int16_t>({150 + i, 100}, PixelType::kS16));
    stored.emplace_back(planes.back());
  }
  const std::vector<Plane> rows = RowsOf(stored, {60, 70}, pool);
  ASSERT_EQ(rows.size(), 5U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].size(), (Size{planes[i].width(), 10}));
    EXPECT_TRUE(Shows(rows[i], planes[i], 0, 60)) << i;
  }
}

}  // namespace
}  // namespace glint
