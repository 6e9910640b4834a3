// SPDX-License-Identifier: Apache-2.0
#include "glint/plane.h"

#include <gtest/gtest.h>

#include "base/mat.h"
#include "support/plane_compare.h"

namespace glint {
namespace {

TEST(Plane, RowsAreAlignedAndDoNotOverlap) {
  const Plane plane = Plane::Host({65, 3}, PixelType::kU8x3);
  EXPECT_GE(plane.stride(), 65 * 3);
  for (int y = 0; y < 3; ++y)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(plane.Row<std::byte>(y)) % 64, 0);
}

TEST(Plane, SharesPixelsWithOpenCvBothWays) {
  const Plane plane = NoisePlane({33, 7}, 1);
  const cv::Mat mat = AsMat(plane);
  EXPECT_EQ(static_cast<void*>(mat.data), static_cast<void*>(plane.data()));
  Plane kept;
  {
    const cv::Mat copy = mat.clone();
    kept = AsPlane(copy);
  }
  EXPECT_TRUE(SameBytes(kept, plane));
}

TEST(Plane, HoldsWhatAMatrixOfTheSameTypeHolds) {
  for (const PixelType type : {PixelType::kU8, PixelType::kU8x3, PixelType::kS16, PixelType::kS32,
                               PixelType::kF32, PixelType::kF32x2}) {
    const Plane plane = Plane::Host({5, 3}, type);
    const cv::Mat mat = AsMat(plane);
    EXPECT_EQ(static_cast<int>(mat.elemSize()), BytesPerPixel(type));
    EXPECT_EQ(AsPlane(mat).type(), type);
  }
}

TEST(Plane, DescribesItself) {
  EXPECT_EQ(Describe(Plane::Host({4, 3}, PixelType::kF32x2)), "4x3 f32x2 on the host");
  EXPECT_EQ(Describe(Plane::Host({4, 3}, PixelType::kS16)), "4x3 s16 on the host");
  EXPECT_EQ(Describe(Plane()), "an empty plane");
}

}  // namespace
}  // namespace glint
