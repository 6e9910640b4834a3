// SPDX-License-Identifier: Apache-2.0
// The cpu backend gives the same bytes for any number of threads.
#include <gtest/gtest.h>

#include <opencv2/core/utility.hpp>

#include "stages/cpu/backend.h"
#include "stages/parity.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

// Everything that the stages say about one picture and its successor.
struct Answers {
  LumaStatistics sums;
  double length = 0;
  std::vector<Plane> planes;
};

Answers Ask(int threads, const Plane& first, const Plane& second, const Plane& colour) {
  ThreadPool pool(threads);
  const auto backend = *MakeCpuBackend({.pool = &pool});
  Answers answers;
  const Plane frames[] = {first, second};
  const CannyThresholds thresholds[] = {{15, 60}, {30, 100}, {50, 150}};
  const Homography h{0.93, 0.11, 4.2, -0.07, 1.04, 1.7, 4e-4, -3e-4, 1.01};
  EXPECT_THAT((*backend->MakeLumaStatistics())->Run({&first, 1}, {&answers.sums, 1}), IsOk());
  EXPECT_THAT((*backend->MakeFlow())->MeanLengths(frames, {&answers.length, 1}), IsOk());
  answers.planes = *(*backend->MakeEdges())->Run(first, thresholds);
  answers.planes.push_back(*(*backend->MakeFlow())->Field(first, second));
  answers.planes.push_back(*(*backend->MakeMorphology())->Run(first, MorphologyOp::kOpen, {}, 2));
  answers.planes.push_back(
      *(*backend->MakeWarp())->Run(colour, h, {170, 130}, Interpolation::kLinear, std::nullopt));
  return answers;
}

TEST(CpuThreads, GiveTheSameBytesForAnyNumber) {
  const Plane first = Texture({173, 211}, 1);
  const Plane second = Texture({173, 211}, 2);
  const Plane colour = ColourNoise({173, 211}, 3);
  const Answers alone = Ask(1, first, second, colour);
  for (const int threads : {2, 5}) {
    const Answers shared = Ask(threads, first, second, colour);
    EXPECT_EQ(shared.sums, alone.sums);
    EXPECT_EQ(shared.length, alone.length);
    ASSERT_EQ(shared.planes.size(), alone.planes.size());
    for (std::size_t i = 0; i < alone.planes.size(); ++i) {
      EXPECT_TRUE(SameBytes(shared.planes[i], alone.planes[i])) << threads << " threads, " << i;
    }
  }
}

TEST(CpuThreads, OpenCvBringsNoneOfItsOwn) {
  ThreadPool pool(2);
  ASSERT_THAT(MakeCpuBackend({.pool = &pool}), IsOk());
  EXPECT_EQ(cv::getNumThreads(), 1);
}

}  // namespace
}  // namespace glint
