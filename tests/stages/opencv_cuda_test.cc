// SPDX-License-Identifier: Apache-2.0
// OpenCV's CUDA modules against the CPU's stages, within what such a backend may differ. Compiled
// only where OpenCV has them; needs a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/thread_pool.h"
#include "stages/cpu/backend.h"
#include "stages/opencv_cuda/entry.h"
#include "stages/parity.h"
#include "support/needs_gpu.h"
#include "support/plane_compare.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

// parity.cc is here for its sizes only.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Parity);

class OpenCvCuda : public testing::Test {
 protected:
  void SetUp() override {
    cpu_ = *MakeCpuBackend({.pool = &pool_});
    const BackendOptions options{.pool = &pool_};
    absl::Status status = opencv_cuda::Probe(options);
    if (status.ok()) {
      auto gpu = opencv_cuda::Make(options);
      status = gpu.status();
      if (gpu.ok()) gpu_ = *std::move(gpu);
    }
    GLINT_NEEDS_GPU(status);
  }

  ThreadPool pool_{2};
  std::unique_ptr<Backend> cpu_, gpu_;
};

TEST_F(OpenCvCuda, StatisticsAreExact) {
  std::vector<Plane> planes;
  for (const Size size : TrickySizes()) planes.push_back(NoisePlane(size, 11));
  std::vector<LumaStatistics> found(planes.size()), expected(planes.size());
  ASSERT_THAT((*gpu_->MakeLumaStatistics())->Run(planes, found), IsOk());
  ASSERT_THAT((*cpu_->MakeLumaStatistics())->Run(planes, expected), IsOk());
  for (std::size_t i = 0; i < planes.size(); ++i) {
    EXPECT_EQ(found[i], expected[i]) << Describe(planes[i]);
  }
}

TEST_F(OpenCvCuda, MorphologyIsExact) {
  using Shape = StructuringElement::Shape;
  const auto on_gpu = *gpu_->MakeMorphology();
  const auto on_cpu = *cpu_->MakeMorphology();
  for (const Size size : TrickySizes()) {
    const Plane plane = NoisePlane(size, 12);
    for (const StructuringElement& element :
         {StructuringElement{.size = {3, 3}}, StructuringElement{.size = {7, 4}},
          StructuringElement{.shape = Shape::kEllipse, .size = {5, 5}},
          StructuringElement{.shape = Shape::kLine, .size = {9, 9}, .angle = 0.7}}) {
      for (const MorphologyOp op :
           {MorphologyOp::kErode, MorphologyOp::kDilate, MorphologyOp::kOpen, MorphologyOp::kClose,
            MorphologyOp::kTopHat, MorphologyOp::kBlackHat}) {
        for (const int iterations : {1, 3}) {
          const auto found = on_gpu->Run(plane, op, element, iterations);
          ASSERT_THAT(found, IsOk());
          EXPECT_TRUE(SameBytes(*found, *on_cpu->Run(plane, op, element, iterations)))
              << ToString(size) << " under " << ToString(element.size) << ", " << iterations;
        }
      }
    }
  }
}

/// The plane without its outermost pixels.
Plane Inside(const Plane& plane) {
  const Size size{plane.width() - 2, plane.height() - 2};
  Plane inside = Plane::Host(size, PixelType::kU8);
  for (int y = 0; y < size.height; ++y) {
    std::copy_n(plane.Row<std::uint8_t>(y + 1) + 1, size.width, inside.Row<std::uint8_t>(y));
  }
  return inside;
}

TEST_F(OpenCvCuda, EdgesAreExactInsideOfOnePixel) {
  const std::vector<CannyThresholds> thresholds = {{15, 60}, {30, 100}, {50, 150}, {300, 40}};
  const auto on_gpu = *gpu_->MakeEdges();
  const auto on_cpu = *cpu_->MakeEdges();
  for (const Size size : TrickySizes()) {
    if (std::min(size.width, size.height) < 3) continue;
    for (const Plane& luma : {NoisePlane(size, 13), Texture(size, 14)}) {
      const auto found = on_gpu->Run(luma, thresholds);
      const auto expected = on_cpu->Run(luma, thresholds);
      ASSERT_THAT(found, IsOk());
      for (std::size_t i = 0; i < thresholds.size(); ++i) {
        EXPECT_TRUE(SameBytes(Inside((*found)[i]), Inside((*expected)[i]))) << ToString(size);
      }
    }
  }
}

TEST_F(OpenCvCuda, FlowIsCloseOnTexture) {
  const Size size{320, 240};
  const Plane whole = Texture({size.width + 8, size.height + 8}, 15);
  const auto part = [&](int x, int y) {
    return Plane(nullptr, whole.data() + y * whole.stride() + x, size, PixelType::kU8,
                 whole.stride(), {});
  };
  const Plane previous = part(4, 4), next = part(1, 6);
  const auto found = (*gpu_->MakeFlow())->Field(previous, next);
  const auto expected = (*cpu_->MakeFlow())->Field(previous, next);
  ASSERT_THAT(found, IsOk());
  ASSERT_THAT(expected, IsOk());
  std::vector<double> errors;
  errors.reserve(static_cast<std::size_t>(size.area()));
  for (int y = 0; y < size.height; ++y) {
    const auto* a = found->Row<float>(y);
    const auto* b = expected->Row<float>(y);
    for (std::ptrdiff_t x = 0; x < size.width; ++x) {
      errors.push_back(std::hypot(a[2 * x] - b[2 * x], a[2 * x + 1] - b[2 * x + 1]));
    }
  }
  std::ranges::sort(errors);
  EXPECT_LE(errors[errors.size() / 2], 0.05);
  EXPECT_LE(errors[errors.size() * 99 / 100], 0.5);
}

TEST_F(OpenCvCuda, GivesWhatOpenCvHasNotByTheCpu) {
  const Plane grey = NoisePlane({40, 30}, 16);
  const auto found = (*gpu_->MakeDetail())->Run(grey);
  ASSERT_THAT(found, IsOk());
  EXPECT_TRUE(SameBytes(found->variance, (*cpu_->MakeDetail())->Run(grey)->variance));
}

}  // namespace
}  // namespace glint
