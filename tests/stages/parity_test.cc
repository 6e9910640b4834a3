// SPDX-License-Identifier: Apache-2.0
// Luma statistics and edges of every backend.
#include "stages/parity.h"

#include <opencv2/imgproc.hpp>

#include "base/mat.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

int Mirrored(int i, int count) {  // reflect-101 for at most one step outside
  if (count == 1) return 0;
  return i < 0 ? 1 : i >= count ? count - 2 : i;
}

LumaStatistics StatisticsByLoops(const Plane& luma) {
  const auto at = [&](int x, int y) {
    return int{luma.Row<std::uint8_t>(Mirrored(y, luma.height()))[Mirrored(x, luma.width())]};
  };
  LumaStatistics sums;
  for (int y = 0; y < luma.height(); ++y) {
    for (int x = 0; x < luma.width(); ++x) {
      const std::int64_t laplacian =
          at(x, y - 1) + at(x, y + 1) + at(x - 1, y) + at(x + 1, y) - 4 * at(x, y);
      ++sums.pixels;
      sums.laplacian_sum += laplacian;
      sums.laplacian_square_sum += laplacian * laplacian;
      if (at(x, y) <= 2) ++sums.dark;
      if (at(x, y) >= 253) ++sums.bright;
    }
  }
  return sums;
}

double VarianceByOpenCv(const Plane& luma) {
  cv::Mat laplacian;
  cv::Laplacian(AsMat(luma), laplacian, CV_64F);
  cv::Scalar mean, deviation;
  cv::meanStdDev(laplacian, mean, deviation);
  return deviation[0] * deviation[0];
}

// Every pixel's Laplacian is as large as it can be.
Plane Checkerboard(Size size) {
  Plane plane = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) plane.Row<std::uint8_t>(y)[x] = (x + y) % 2 ? 255 : 0;
  }
  return plane;
}

TEST_P(Parity, StatisticsOfADrawnGrid) {
  const Plane luma = Upload(Drawn({".....",  //
                                   ".....",  //
                                   "..#..",  //
                                   ".....",  //
                                   "....#"}));
  auto stage = backend().MakeLumaStatistics();
  ASSERT_THAT(stage, IsOk());
  LumaStatistics sums;
  ASSERT_THAT((*stage)->Run({&luma, 1}, {&sums, 1}), IsOk());
  // In units of 255: the dot gives -4 and four times 1; the corner -4 and twice 1.
  EXPECT_EQ(sums.pixels, 25);
  EXPECT_EQ(sums.laplacian_sum, (-4 + 4 - 4 + 2) * 255);
  EXPECT_EQ(sums.laplacian_square_sum, (16 + 4 + 16 + 2) * 255 * 255);
  EXPECT_EQ(sums.dark, 23);
  EXPECT_EQ(sums.bright, 2);
}

TEST_P(Parity, StatisticsEqualLoopsAndOpenCv) {
  std::vector<Plane> planes;
  std::uint32_t seed = 100;
  for (const Size size : TrickySizes()) planes.push_back(NoisePlane(size, seed++));
  planes.push_back(Checkerboard({5003, 70}));  // overflows sums that are too narrow
  planes.push_back(Checkerboard({70, 5003}));
  std::vector<Plane> uploaded;
  uploaded.reserve(planes.size());
  for (const Plane& plane : planes) uploaded.push_back(Upload(plane));
  auto stage = backend().MakeLumaStatistics();
  ASSERT_THAT(stage, IsOk());
  std::vector<LumaStatistics> sums(planes.size());
  ASSERT_THAT((*stage)->Run(uploaded, sums), IsOk());
  for (std::size_t i = 0; i < planes.size(); ++i) {
    SCOPED_TRACE(Describe(planes[i]) + ", noise seed " + std::to_string(100 + i));
    EXPECT_EQ(sums[i], StatisticsByLoops(planes[i]));
    const double variance = VarianceByOpenCv(planes[i]);
    EXPECT_NEAR(sums[i].LaplacianVariance(), variance, 1e-9 * (1 + variance));
  }
}

TEST_P(Parity, StatisticsOfNothingAreNothing) {
  auto stage = backend().MakeLumaStatistics();
  ASSERT_THAT(stage, IsOk());
  EXPECT_THAT((*stage)->Run({}, {}), IsOk());
  EXPECT_EQ(LumaStatistics().LaplacianVariance(), 0);
}

TEST(LumaStatistics, VarianceKeepsItsDigitsNextToALargeMean) {
  // Half the pixels at 1000, half at 1001: a variance of 1/4, found by subtracting 10^15-sized
  // sums.
  const LumaStatistics sums{.pixels = 2'000'000'000,
                            .laplacian_sum = 2'001'000'000'000,
                            .laplacian_square_sum = 1'000'000'000LL * (1000 * 1000 + 1001 * 1001)};
  EXPECT_EQ(sums.LaplacianVariance(), 0.25);
}

TEST_P(Parity, EdgesOfADrawnStepLieOnItsDarkSide) {
  auto stage = backend().MakeEdges();
  ASSERT_THAT(stage, IsOk());
  const CannyThresholds thresholds{.low = 50, .high = 150};
  const auto edges = (*stage)->Run(Upload(Drawn({"...##",  //
                                                 "...##",  //
                                                 "...##",  //
                                                 "...##",  //
                                                 "...##"})),
                                   {&thresholds, 1});
  ASSERT_THAT(edges, IsOk());
  ASSERT_EQ(edges->size(), 1);
  EXPECT_TRUE(SameBytes(Download(edges->front()), Drawn({"..#..",  //
                                                         "..#..",  //
                                                         "..#..",  //
                                                         "..#..",  //
                                                         "..#.."})));
}

TEST_P(Parity, EdgesEqualOpenCvsFromTheLuma) {
  const std::vector<CannyThresholds> thresholds = {
      {15, 60}, {30, 100}, {50, 150}, {100.7, 299.2}, {300, 40}, {0, 0}, {400, 1200}, {5000, 9000}};
  auto stage = backend().MakeEdges();
  ASSERT_THAT(stage, IsOk());
  std::uint32_t seed = 200;
  for (const Size size : TrickySizes()) {
    for (const bool noise : {true, false}) {
      SCOPED_TRACE(ToString(size) + (noise ? " noise" : " texture") + ", seed " +
                   std::to_string(++seed));
      const Plane luma = noise ? NoisePlane(size, seed) : Texture(size, seed);
      const auto edges = (*stage)->Run(Upload(luma), thresholds);
      ASSERT_THAT(edges, IsOk());
      ASSERT_EQ(edges->size(), thresholds.size());
      for (std::size_t i = 0; i < thresholds.size(); ++i) {
        cv::Mat expected;
        cv::Canny(AsMat(luma), expected, thresholds[i].low, thresholds[i].high, 3, false);
        EXPECT_TRUE(SameBytes(Download((*edges)[i]), AsPlane(expected)))
            << thresholds[i].low << " " << thresholds[i].high;
      }
    }
  }
}

TEST_P(Parity, NoThresholdsGiveNoEdgeMaps) {
  auto stage = backend().MakeEdges();
  ASSERT_THAT(stage, IsOk());
  const auto edges = (*stage)->Run(Upload(NoisePlane({4, 4}, 1)), {});
  ASSERT_THAT(edges, IsOk());
  EXPECT_TRUE(edges->empty());
}

}  // namespace
}  // namespace glint
