// SPDX-License-Identifier: Apache-2.0
#include "support/plane_compare.h"

#include <cstring>
#include <random>

namespace glint {

testing::AssertionResult SameBytes(const Plane& actual, const Plane& expected) {
  if (actual.size() != expected.size() || actual.type() != expected.type()) {
    return testing::AssertionFailure() << Describe(actual) << " instead of " << Describe(expected);
  }
  const int bytes = BytesPerPixel(actual.type());
  std::int64_t differing = 0;
  int first_x = 0;
  int first_y = 0;
  for (int y = 0; y < actual.height(); ++y) {
    for (int x = 0; x < actual.width(); ++x) {
      const auto offset = std::ptrdiff_t{x} * bytes;
      if (std::memcmp(actual.Row<std::byte>(y) + offset, expected.Row<std::byte>(y) + offset,
                      static_cast<std::size_t>(bytes)) == 0) {
        continue;
      }
      if (differing++ == 0) {
        first_x = x;
        first_y = y;
      }
    }
  }
  if (differing == 0) return testing::AssertionSuccess();
  auto failure = testing::AssertionFailure();
  failure << differing << " of " << actual.size().area() << " pixels differ, first at (" << first_x
          << ", " << first_y << "):";
  for (int i = 0; i < bytes; ++i) {
    failure << " " << int{actual.Row<std::uint8_t>(first_y)[first_x * bytes + i]} << "/"
            << int{expected.Row<std::uint8_t>(first_y)[first_x * bytes + i]};
  }
  return failure << " (actual/expected bytes)";
}

Plane NoisePlane(Size size, std::uint32_t seed) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  std::mt19937 random(seed);  // specified by the standard bit for bit, unlike the distributions
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x)
      plane.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(random() >> 24);
  }
  return plane;
}

}  // namespace glint
