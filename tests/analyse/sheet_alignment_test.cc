// SPDX-License-Identifier: Apache-2.0
#include "analyse/sheet_alignment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <opencv2/core.hpp>
#include <stop_token>
#include <utility>
#include <vector>

#include "analyse/cpu_stages.h"
#include "analyse/quadrilateral.h"
#include "base/mat.h"
#include "support/status_matchers.h"

namespace glint {
namespace {

constexpr Size kSize{320, 240};
constexpr Homography kUnmoved = {1, 0, 0, 0, 1, 0, 0, 0, 1};

double Texture(double x, double y) {
  return 128 + 45 * std::sin(x / 4) * std::cos(y / 5) + 35 * std::sin(x / 9 + y / 7);
}

/// A sheet that bends by up to this much between two views.
double BendAt(double y, double most) { return most * std::sin(3.14159 * y / kSize.height); }

/// Gives one luma plane.
class Picture final : public RawPicture {
 public:
  explicit Picture(Plane luma) : luma_(std::move(luma)) {}
  Plane ToRgb() const override { return {}; }
  Plane ToLuma() const override { return luma_; }

 private:
  Plane luma_;
};

Plane View(double bend, double gain = 1) {
  Plane view = Plane::Host(kSize, PixelType::kU8);
  for (int y = 0; y < kSize.height; ++y) {
    for (int x = 0; x < kSize.width; ++x) {
      const double grey = gain * Texture(x - BendAt(y, bend), y);
      view.Row<std::uint8_t>(y)[x] = static_cast<std::uint8_t>(std::lround(std::min(grey, 255.0)));
    }
  }
  return view;
}

ViewStack Stack(const std::vector<double>& bends) {
  Plane all = Plane::Host(kSize, PixelType::kU8);
  AsMat(all).setTo(255);
  ViewStack stack;
  for (std::size_t i = 0; i < bends.size(); ++i) {
    stack.greys.push_back(View(bends[i], 1 - 0.03 * static_cast<double>(i % 3)));
    stack.valid.push_back(all);
    stack.sources.push_back({.frame = static_cast<std::int64_t>(i),
                             .picture = std::make_shared<Picture>(stack.greys.back()),
                             .frame_from_object = kUnmoved});
  }
  return stack;
}

/// Mean difference from the sheet that is not bent, off the border.
double Misfit(const Plane& view, double gain) {
  double sum = 0;
  for (int y = 10; y < kSize.height - 10; ++y) {
    for (int x = 10; x < kSize.width - 10; ++x) {
      sum += std::abs(view.Row<std::uint8_t>(y)[x] - gain * Texture(x, y));
    }
  }
  return sum / ((kSize.width - 20) * (kSize.height - 20));
}

const std::vector<double> kBends = {0, 0, 1.2, 0, 0, -0.9, 0, 0, 0};

TEST(FlattenViews, LaysBentViewsOntoTheMedian) {
  CpuStages cpu(2);
  ViewStack stack = Stack(kBends);
  const double before = Misfit(stack.greys[2], 0.94);
  ASSERT_THAT(FlattenViews(stack, cpu.stages, cpu.pool, {}, {}), IsOk());
  EXPECT_GT(before, 3);
  EXPECT_LT(Misfit(stack.greys[2], 0.94), 0.35 * before);
  EXPECT_LT(Misfit(stack.greys[5], 0.94), 1.2);
  EXPECT_LT(Misfit(stack.greys[3], 1), 1.2);
}

TEST(FlattenViews, SaysHowBadlyAViewLiesInTheEnd) {
  CpuStages cpu(2);
  ViewStack stack = Stack(kBends);
  cv::Mat other(kSize.height, kSize.width, CV_8U);
  cv::RNG random(5);
  random.fill(other, cv::RNG::UNIFORM, 0, 256);
  stack.greys[4] = AsPlane(other.clone());
  stack.sources[4].picture = std::make_shared<Picture>(stack.greys[4]);
  const auto misfits = FlattenViews(stack, cpu.stages, cpu.pool, {}, {});
  ASSERT_THAT(misfits, IsOk());
  ASSERT_EQ(misfits->size(), kBends.size());
  for (const ViewMisfit& misfit : *misfits) {
    if (misfit.frame == 4) {
      EXPECT_EQ(misfit.motion_px, SheetParams().max_shift_px) << "it shows something else";
    } else {
      EXPECT_LT(misfit.motion_px, 0.25) << misfit.frame;
    }
  }
}

TEST(PoorFit, IsOfTheMedianViewAndNamesTheWorst) {
  const SheetParams params{.max_misfit_px = 0.25};
  EXPECT_FALSE(PoorFit({}, params));
  EXPECT_FALSE(PoorFit({{1, 0.1}, {2, 4.0}, {3, 0.2}}, params));
  const auto worst = PoorFit({{1, 0.3}, {2, 0.9}, {3, 0.1}}, params);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->frame, 2);
}

TEST(FlattenViews, CorrectsHomographiesFirst) {
  CpuStages cpu(2);
  ViewStack stack = Stack(std::vector<double>(9, 0.0));
  stack.sources[1].frame_from_object[2] = 0.8;  // it was taken for lying there
  const Homography shifted = {1, 0, 0.8, 0, 1, 0, 0, 0, 1};
  stack.greys[1] = *cpu.stages.warp->Run(View(0), shifted, kSize, Interpolation::kLinear, {});
  ASSERT_THAT(FlattenViews(stack, cpu.stages, cpu.pool, {}, {.settle_rounds = 4, .warp_rounds = 0}),
              IsOk());
  const Point middle{kSize.width / 2.0, kSize.height / 2.0};
  EXPECT_LT(Distance(Map(stack.sources[1].frame_from_object, middle), middle), 0.1);
}

TEST(FlattenViews, GivesTheSameBytesWithAnyNumberOfThreads) {
  ViewStack first = Stack(kBends), second = Stack(kBends);
  for (const auto& [stack, threads] : {std::pair{&first, 1}, {&second, 4}}) {
    CpuStages cpu(threads);
    ASSERT_THAT(FlattenViews(*stack, cpu.stages, cpu.pool, {}, {}), IsOk());
  }
  for (std::size_t i = 0; i < first.greys.size(); ++i) {
    EXPECT_EQ(cv::countNonZero(AsMat(first.greys[i]) != AsMat(second.greys[i])), 0) << i;
  }
}

TEST(FlattenViews, ToleratesBlankSheetsAndLeavesSingleViewsAlone) {
  CpuStages cpu(2);
  ViewStack blank = Stack({0, 0, 0});
  for (Plane& grey : blank.greys) AsMat(grey).setTo(140);
  ASSERT_THAT(FlattenViews(blank, cpu.stages, cpu.pool, {}, {}), IsOk());
  ViewStack single = Stack({0.7});
  const Plane before = AsPlane(AsMat(single.greys[0]).clone());
  ASSERT_THAT(FlattenViews(single, cpu.stages, cpu.pool, {}, {}), IsOk());
  EXPECT_EQ(cv::countNonZero(AsMat(single.greys[0]) != AsMat(before)), 0);
}

TEST(FlattenViews, StopsWhenItIsCancelled) {
  CpuStages cpu(2);
  ViewStack stack = Stack({0, 0.5, 0});
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(FlattenViews(stack, cpu.stages, cpu.pool, CancelToken(source.get_token()), {}).ok());
}

}  // namespace
}  // namespace glint
