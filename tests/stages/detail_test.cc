// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "stages/cpu/stages.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

using testing::HasSubstr;

Plane Draw(std::vector<std::vector<int>> rows) {
  Plane plane = Plane::Host({static_cast<int>(rows[0].size()), static_cast<int>(rows.size())},
                            PixelType::kU8);
  for (int y = 0; y < plane.height(); ++y) {
    for (int x = 0; x < plane.width(); ++x) {
      plane.Row<std::uint8_t>(y)[x] =
          static_cast<std::uint8_t>(rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)]);
    }
  }
  return plane;
}

/// The same maps by OpenCV, whose sums of integers in double are exact too.
DetailMaps ByOpenCv(const Plane& grey) {
  const cv::Mat source = AsMat(grey);
  cv::Mat laplacian, gx, gy, values, sum, square_sum, gradient, variance;
  cv::Laplacian(source, laplacian, CV_64F, 1);
  cv::Sobel(source, gx, CV_64F, 1, 0);
  cv::Sobel(source, gy, CV_64F, 0, 1);
  source.convertTo(values, CV_64F);
  cv::boxFilter(values, sum, CV_64F, {5, 5}, {-1, -1}, false);
  cv::boxFilter(values.mul(values), square_sum, CV_64F, {5, 5}, {-1, -1}, false);
  cv::Mat(cv::abs(laplacian)).convertTo(laplacian, CV_32S);
  cv::Mat(gx.mul(gx) + gy.mul(gy)).convertTo(gradient, CV_32S);
  cv::Mat(25 * square_sum - sum.mul(sum)).convertTo(variance, CV_32S);
  return {AsPlane(laplacian), AsPlane(gradient), AsPlane(variance)};
}

TEST(Detail, MeasuresABrightPixelAndItsReflection) {
  ThreadPool pool(1);
  // By hand.
  const auto maps = MakeCpuDetail(&pool)->Run(Draw({{0, 0, 0, 0}, {0, 10, 0, 0}, {0, 0, 0, 0}}));
  ASSERT_THAT(maps, IsOk());
  const auto* laplacian = maps->laplacian.Row<std::int32_t>(1);
  EXPECT_EQ(laplacian[0], 20);  // column -1 shows column 1
  EXPECT_EQ(laplacian[1], 40);
  EXPECT_EQ(laplacian[2], 10);
  EXPECT_EQ(laplacian[3], 0);
  const auto* gradient = maps->gradient.Row<std::int32_t>(1);
  EXPECT_EQ(gradient[0], 0);  // the same value on both sides
  EXPECT_EQ(gradient[2], 20 * 20);
  EXPECT_EQ(maps->gradient.Row<std::int32_t>(0)[2], 20 * 20 + 0);  // rows -1 and 1 are the same
  // Rows -1..3 show 1 0 1 2 1, columns 1..5 show 1 2 3 2 1: six times the pixel.
  EXPECT_EQ(maps->variance.Row<std::int32_t>(1)[3], 25 * 6 * 100 - 60 * 60);
}

TEST(Detail, EqualsOpenCvForEverySizeAndNumberOfThreads) {
  for (const Size size : {Size{1, 1}, Size{1, 9}, Size{9, 1}, Size{2, 2}, Size{3, 2}, Size{5, 5},
                          Size{33, 32}, Size{70, 101}, Size{257, 131}}) {
    SCOPED_TRACE(ToString(size));
    const Plane grey = NoisePlane(size, 7);
    const DetailMaps expected = ByOpenCv(grey);
    for (const int threads : {1, 3}) {
      ThreadPool pool(threads);
      const auto maps = MakeCpuDetail(&pool)->Run(grey);
      ASSERT_THAT(maps, IsOk());
      EXPECT_TRUE(SameBytes(maps->laplacian, expected.laplacian));
      EXPECT_TRUE(SameBytes(maps->gradient, expected.gradient));
      EXPECT_TRUE(SameBytes(maps->variance, expected.variance));
    }
  }
}

TEST(Detail, HoldsTheLargestValues) {
  Plane stripes = Plane::Host({64, 64}, PixelType::kU8);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x)
      stripes.Row<std::uint8_t>(y)[x] = (x / 2 + y / 2) % 2 == 0 ? 255 : 0;
  }
  ThreadPool pool(1);
  const auto maps = MakeCpuDetail(&pool)->Run(stripes);
  ASSERT_THAT(maps, IsOk());
  const DetailMaps expected = ByOpenCv(stripes);
  EXPECT_TRUE(SameBytes(maps->laplacian, expected.laplacian));
  EXPECT_TRUE(SameBytes(maps->gradient, expected.gradient));
  EXPECT_TRUE(SameBytes(maps->variance, expected.variance));
}

TEST(Detail, RefusesWhatIsNotGrey) {
  ThreadPool pool(1);
  const auto stage = MakeCpuDetail(&pool);
  EXPECT_THAT(stage->Run(Plane()), FailsWith(Reason::kInternal, HasSubstr("grey")));
  EXPECT_THAT(stage->Run(Plane::Host({4, 4}, PixelType::kF32)),
              FailsWith(Reason::kInternal, HasSubstr("4x4 f32")));
}

}  // namespace
}  // namespace glint
